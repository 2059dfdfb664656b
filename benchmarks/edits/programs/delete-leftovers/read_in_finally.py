# The last output is logged in finally
# offered: no
# because: finally reads out
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
log = []
out = None
try:
    for x in torch.ones(3, 4, 2):
        out = model(x)
        log.append(out.mean().item())
finally:
    if out is not None:
        log.append(out.sum().item())
