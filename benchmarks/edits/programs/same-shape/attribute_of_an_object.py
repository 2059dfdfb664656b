# The loss method of a class that a subclass uses with columns
# offered: no
# because: a method may be called with other shapes
# about: {"column": "p", "row": "t", "result": "value", "expected": "value"}
# fails: return (p - t).pow(2).mean()
# %%
import torch


class Objective:
    def loss(self, p, t):
        return (p - t).pow(2).mean()


class Columns(Objective):
    def __call__(self, p, t):
        return self.loss(p, t[:, None])


torch.manual_seed(14)
torch.set_default_dtype(torch.float64)
p, t = torch.randn(6, 1), torch.randn(6)
# %%
value = Columns()(p, t).item()
print(value)
