# `predict` is used to evaluate, and by an attack that needs gradients of the input
# offered: no
# because: another cell computes gradients of what the function returns
# about: {}
# fails: return net((x - mean) / std)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(10)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
mean, std = 0.1, 2.0
X, y = torch.randn(9, 4), torch.randint(0, 3, (9,))


def fgsm(x, y, eps=0.1):
    x = x.clone().requires_grad_(True)
    loss = F.cross_entropy(predict(x), y)
    loss.backward()
    return (x + eps * x.grad.sign()).detach()


# %%
def predict(x):
    return net((x - mean) / std)


# %%
clean = (predict(X).argmax(1) == y).double().mean().item()
adv = fgsm(X, y)
print(clean, (predict(adv).argmax(1) == y).double().mean().item())
