# A product of batches, reduced along the middle
# offered: no
# because: dimension 1 is not the last
# about: {"way": "compared", "rows": 2, "tables": []}
# fails: m = (q @ k).sum(1)
# %%
import torch

torch.manual_seed(15)
q, k = torch.randn(4, 5, 3), torch.randn(4, 3, 6)
# %%
m = (q @ k).sum(1)
print(m.shape)
