# A list of names is looked up in the module of the cells
# offered: no
# because: names of `__main__` are read by text
# about: {"names": ["probs"], "where": "before"}
# fails: big = torch.zeros(6)
# %%
import sys
import torch
probs = torch.rand(4)
best = probs.argmax()
big = torch.zeros(6)
# %%
module = sys.modules["__main__"]
total = sum(getattr(module, name).sum().item() for name in ("probs", "big"))
