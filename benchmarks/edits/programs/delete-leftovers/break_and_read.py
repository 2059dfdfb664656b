# The loop breaks with its result
# offered: no
# because: found is read behind break
# about: {"names": ["found"], "where": "loop"}
# fails: found = x * 2
# %%
import torch
found = None
for x in torch.arange(6.0):
    found = x * 2
    if found > 5:
        break
answer = found.item()
