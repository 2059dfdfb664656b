# A function's locals at the end of each step
# offered: yes
# about: {"names": ["pred"], "where": "loop"}
# fails: pred = model(x)
# %%
import torch
model = torch.nn.Linear(3, 1)

def run(xs):
    total = 0.0
    for x in xs:
        pred = model(x)
        total += pred.mean().item()
    return total
# %%
total = run(torch.randn(4, 5, 3))
