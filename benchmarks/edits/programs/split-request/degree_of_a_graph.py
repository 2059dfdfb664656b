# A dense similarity of all rows with all rows, of which sums are left
# offered: yes
# about: {"way": "compared", "rows": 8, "tables": ["h"]}
# fails: degree = (h @ h.T).sum(1)
# %%
import torch

torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
h = torch.randn(30, 4)
# %%
degree = (h @ h.T).sum(1)
scaled = h / degree.abs().sqrt()[:, None]
print(scaled.sum().item())
