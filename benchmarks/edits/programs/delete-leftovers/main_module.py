# `__main__` is imported and asked
# offered: no
# because: `__main__` is imported, and its name read
# about: {"names": ["probs"], "where": "before"}
# fails: big = torch.zeros(6)
# %%
import torch
probs = torch.rand(4)
best = probs.argmax()
big = torch.zeros(6)
# %%
import __main__
again = __main__.probs.sum().item()
