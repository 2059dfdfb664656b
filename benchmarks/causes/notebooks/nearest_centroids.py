# k-means written by oneself: the distances of all points to all centres
#
# cause: huge-request
# edit: yes
# remedy: chunks, split-request
# gpu: 12GiB
# fails: labels = torch.cdist(points, centres).argmin(dim=1)
# cure: labels = torch.cdist(points, centres).argmin(dim=1) => labels = torch.cat([torch.cdist(p, centres).argmin(dim=1) for p in points.split(65536)])
# source: https://discuss.pytorch.org/t/k-means-loss-calculation/22041

# %%
import torch

points = torch.rand(2_000_000, 64, device="cuda")
centres = points[torch.randperm(len(points))[:4096]]

# %%
for step in range(10):
    labels = torch.cdist(points, centres).argmin(dim=1)
    counts = torch.zeros(len(centres), device="cuda").index_add_(0, labels, torch.ones(len(points), device="cuda"))
    sums = torch.zeros_like(centres).index_add_(0, labels, points)
    centres = sums / counts.clamp(min=1)[:, None]
