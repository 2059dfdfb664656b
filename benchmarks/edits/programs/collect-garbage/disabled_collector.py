# The collector is frozen and asked for counts
# offered: no
# because: gc.get_count() tells of collections
# fails: x = torch.ones(2)
# %%
import gc, torch
# %%
for n in range(2):
    x = torch.ones(2)
# %%
collected = gc.collect() > -1
