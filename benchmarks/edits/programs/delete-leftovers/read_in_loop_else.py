# The loop's else reads the last output
# offered: no
# because: else reads out
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
log = []
for x in torch.ones(3, 4, 2):
    out = model(x)
    log.append(out.mean().item())
else:
    log.append(out.sum().item())
