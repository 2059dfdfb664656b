# Made inside a with statement, without a later reader
# offered: yes
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(3, 2)
scores = []
for x in torch.randn(4, 5, 3):
    with torch.no_grad():
        out = model(x)
    scores.append(out.max().item())
# %%
best = max(scores)
