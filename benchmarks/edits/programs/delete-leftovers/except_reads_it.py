# The handler of an error reads what the step before made
# offered: no
# because: except reads out
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
out = torch.zeros(1)
log = []
try:
    for n, x in enumerate(torch.ones(4, 3, 2)):
        if n == 3:
            raise StopIteration
        out = model(x)
        log.append(out.mean().item())
except StopIteration:
    log.append(out.sum().item())
