# Distances of each row to its own partner
# offered: no
# because: rows are compared one with one, not all with all
# about: {"way": "compared", "rows": 3, "tables": ["a", "b"]}
# fails: far = F.pairwise_distance(a, b, keepdim=True).amax(dim=1)
# %%
import torch
import torch.nn.functional as F

torch.manual_seed(17)
a, b = torch.randn(9, 2), torch.randn(9, 2)
# %%
far = F.pairwise_distance(a, b, keepdim=True).amax(dim=1)
print(far.shape, far.sum().item())
