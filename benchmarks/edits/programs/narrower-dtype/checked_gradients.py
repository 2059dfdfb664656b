# Gradients are checked against differences
# offered: no
# because: the check needs double precision
# about: {"way": "single", "names": ["x"]}
# fails: ok = torch.autograd.gradcheck(f, (x,))
# %%
import torch

torch.manual_seed(5)


def f(x):
    return (x**3).sum()


# %%
x = torch.randn(4, dtype=torch.float64, requires_grad=True)
ok = torch.autograd.gradcheck(f, (x,))
print(ok)
