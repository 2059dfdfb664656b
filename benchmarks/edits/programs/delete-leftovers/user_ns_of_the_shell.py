# The shell's own dictionary is asked
# offered: no
# because: the shell's dictionary of names is read
# about: {"names": ["probs"], "where": "before"}
# fails: big = torch.zeros(6)
# %%
import torch
probs = torch.rand(4)
best = probs.argmax()
big = torch.zeros(6)
# %%
again = get_ipython().user_ns["probs"].sum().item()
