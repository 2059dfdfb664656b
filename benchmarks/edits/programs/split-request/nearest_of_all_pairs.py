# The nearest of many centres for each row
# offered: yes
# about: {"way": "compared", "rows": 8, "tables": ["points", "centres"]}
# fails: nearest = torch.cdist(points, centres).argmin(dim=1)
# %%
import torch

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
points, centres = torch.randn(40, 3), torch.randn(60, 3)
# %%
for n in range(3):
    nearest = torch.cdist(points, centres).argmin(dim=1)
    centres = torch.stack([
        points[nearest == k].mean(0) if (nearest == k).any() else centres[k] for k in range(60)
    ])
print(nearest.bincount(minlength=60).tolist())
