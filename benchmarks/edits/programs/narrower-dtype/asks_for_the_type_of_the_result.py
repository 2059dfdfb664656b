# What is predicted is asked for its type in another cell
# offered: no
# because: the answer would be another
# about: {"way": "half", "model": "model"}
# fails: out = model(X)
# %%
import torch
from torch import nn

torch.manual_seed(6)
# %%
model = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 2))
X = torch.randint(0, 9, (8,))
# %%
out = model(X)
# %%
kind = out.dtype == torch.float32
