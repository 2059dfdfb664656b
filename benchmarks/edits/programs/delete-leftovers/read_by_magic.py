# A magic line reads the name
# offered: no
# because: %time reads out in the next cell
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
for x in torch.ones(3, 4, 2):
    out = model(x)
# %%
%time total = out.sum().item()
