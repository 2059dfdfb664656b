# The user's namespace is asked for the output
# offered: no
# because: get_ipython().user_ns["_"] reads it
# fails: torch.ones(4)
# %%
import torch
# %%
torch.ones(4)
# %%
value = get_ipython().user_ns["_"].sum().item()
