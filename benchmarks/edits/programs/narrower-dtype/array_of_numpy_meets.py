# A tensor of NumPy's numbers is made single, its partner comes from a DataLoader
# offered: no
# because: the batches stay in double precision
# about: {"way": "single", "names": ["W"]}
# fails: h = xb @ W
# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(2)
loader = DataLoader(TensorDataset(torch.as_tensor(rng.normal(size=(8, 3)))), batch_size=4)
# %%
W = torch.tensor(rng.normal(size=(3, 2)), dtype=torch.float64)
# %%
for (xb,) in loader:
    h = xb @ W
print(h.shape)
