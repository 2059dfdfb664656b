# A function gives its output to the notebook with global
# offered: no
# because: another function reads out
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
out = None

def run(xs):
    global out
    for x in xs:
        out = model(x)

def last_mean():
    return out.mean().item()
# %%
run(torch.ones(3, 4, 2))
value = last_mean()
