# Distances between all points by broadcasting
#
# cause: huge-request
# edit: no
# remedy: split-request, chunks
# gpu: 8GiB
# fails: idx = nearest(cloud, k=16)
# source: https://github.com/pytorch/pytorch/issues/57720

# %%
import torch

device = torch.device("cuda")


def nearest(points: torch.Tensor, k: int) -> torch.Tensor:
    """Return the indices of the k nearest neighbours of each point."""
    diff = points[:, None, :] - points[None, :, :]
    return diff.norm(dim=-1).topk(k + 1, largest=False).indices[:, 1:]


# %%
cloud = torch.rand(40_000, 3, device=device)
idx = nearest(cloud, k=16)
