# Only some rounds make it
# offered: no
# because: it may not be bound
# about: {"names": ["extra"], "where": "loop"}
# fails: extra = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
log = []
for n, x in enumerate(torch.ones(4, 3, 2)):
    if n % 2:
        extra = model(x)
        log.append(extra.mean().item())
    log.append(float(n))
