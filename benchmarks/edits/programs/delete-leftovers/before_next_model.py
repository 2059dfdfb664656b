# The first model goes before the second is made
# offered: yes
# about: {"names": ["small"], "where": "before"}
# fails: large = torch.nn.Linear(40, 40)
# %%
import torch
torch.manual_seed(1)
# %%
small = torch.nn.Linear(4, 4)
x = torch.ones(2, 4)
score = small(x).sum().item()
# %%
large = torch.nn.Linear(40, 40)
result = large(torch.ones(1, 40)).mean().item()
print(score < result or score >= result)
