# A function inside has it as `nonlocal`
# offered: no
# because: a function inside reads it, as `nonlocal`
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
def run(batches):
    out, seen = None, []
    def note():
        nonlocal out
        if out is not None:
            seen.append(out.sum().item())
    for x in batches:
        note()
        out = model(x)
        s = out.sum()
    return seen
# %%
seen = run(torch.randn(4, 5, 3))
