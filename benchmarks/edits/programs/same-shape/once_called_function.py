# The difference is taken in a function that one cell calls
# offered: yes
# about: {"column": "p", "row": "t", "result": "rmse", "expected": "meant"}
# fails: return (p - t).pow(2).mean().sqrt()
# %%
import torch

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
net, targets = torch.nn.Linear(2, 1), torch.randn(6)
points = torch.randn(6, 2)


def root_mean_square(p, t):
    return (p - t).pow(2).mean().sqrt()


# %%
rmse = root_mean_square(net(points), targets).item()
# %%
meant = (net(points)[:, 0] - targets).pow(2).mean().sqrt().item()
print(type(rmse))
