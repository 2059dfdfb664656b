# A continue leaves the round before the output is made
# offered: no
# because: what continue keeps is read by the next round
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
log = []
out = torch.zeros(3, 1)
for n, x in enumerate(torch.ones(5, 3, 2)):
    if n % 2:
        log.append(out.mean().item())
        continue
    out = model(x)
    log.append(out.sum().item())
