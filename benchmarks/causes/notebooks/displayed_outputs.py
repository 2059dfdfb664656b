# A cell that ends in a tensor is run again and again: IPython keeps each in Out
#
# cause: displayed-values
# edit: yes
# remedy: keep-numbers, delete-leftovers
# gpu: 6GiB
# run: 1 2 3 3 3 3 3 3 3!
# fails: model(batch)
# cure: model(batch) => model(batch).shape
# source: https://github.com/ipython/ipython/issues/11572

# %%
import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(512, 4096), nn.ReLU(), nn.Linear(4096, 8192)).cuda().eval()
torch.set_grad_enabled(False)

# %%
batch = torch.randn(24_000, 512, device="cuda")

# %%
model(batch)
