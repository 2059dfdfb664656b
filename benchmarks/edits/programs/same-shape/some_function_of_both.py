# A function of the person's own takes both, and returns a table
# offered: no
# because: what it does with them is not known
# about: {"column": "u", "row": "v", "result": "cost", "expected": "cost"}
# fails: cost = costs(u, v)
# %%
import torch


def costs(u, v):
    return (u - v).abs() * torch.ones(len(u), len(v))


torch.manual_seed(13)
u, v = torch.randn(5, 1), torch.randn(5)
# %%
cost = costs(u, v)
print(cost.shape)
