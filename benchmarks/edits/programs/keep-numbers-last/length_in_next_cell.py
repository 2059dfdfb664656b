# The next cell divides by its length
# offered: no
# because: len(probs)
# about: {"name": "probs"}
# fails: probs.append(p)
# %%
import torch
probs, total = [], 0.0
for p in torch.rand(6):
    probs.append(p)
    total += float(probs[-1])
# %%
mean = total / len(probs)
