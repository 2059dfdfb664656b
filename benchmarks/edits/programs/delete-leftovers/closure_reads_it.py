# A closure that is called later reads the last output
# offered: no
# because: report reads out
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)

def report():
    return out.mean().item()

for x in torch.ones(3, 4, 2):
    out = model(x)
# %%
last = report()
