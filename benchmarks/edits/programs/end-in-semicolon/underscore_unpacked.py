# An underscore that an assignment gives before it is read
# offered: yes
# fails: values.sort().values
# %%
import torch
values = torch.tensor([3.0, 1.0, 2.0])
# %%
values.sort().values
# %%
top, _ = values.topk(2)
best = top.tolist()
