# `torch.argmin` around the distances, in a function called once
# offered: yes
# about: {"way": "compared", "rows": 4, "tables": ["a", "b"]}
# fails: return torch.argmin(torch.cdist(a, b), dim=-1)
# %%
import torch

torch.manual_seed(7)


def assign(a, b):
    return torch.argmin(torch.cdist(a, b), dim=-1)


# %%
codes = assign(torch.randn(12, 2), torch.randn(30, 2))
print(codes.shape)
