# What the last round made is the result
# offered: no
# because: centers is read behind the loop
# about: {"names": ["centers"], "where": "loop"}
# fails: centers = torch.stack([points[nearest == k].mean(0) for k in range(2)])
# %%
import torch
torch.manual_seed(3)
points = torch.cat([torch.randn(20, 2), torch.randn(20, 2) + 5])
centers = points[[0, 39]]
for _ in range(4):
    nearest = torch.cdist(points, centers).argmin(1)
    centers = torch.stack([points[nearest == k].mean(0) for k in range(2)])
gap = (centers[0] - centers[1]).norm().item()
