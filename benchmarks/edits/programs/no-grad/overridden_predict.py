# A subclass takes `predict` of its parent, and trains with it
# offered: no
# because: a subclass calls the method under `super()` and goes backward
# about: {}
# fails: return self.net(x)
# %%
import torch
from torch import nn

torch.manual_seed(14)
torch.set_default_dtype(torch.float64)


class Regressor:
    def __init__(self):
        self.net = nn.Linear(2, 1)

    def predict(self, x):
        return self.net(x)


# %%
class Trained(Regressor):
    def predict(self, x):
        return 2 * super().predict(x)

    def update(self, x, y, lr=0.1):
        error = (self.predict(x) - y).pow(2).mean()
        error.backward()
        for p in self.net.parameters():
            p.data -= lr * p.grad
            p.grad = None
        return error.item()


# %%
r = Trained()
x, y = torch.randn(6, 2), torch.randn(6, 1)
print(r.predict(x).mean().item(), [round(r.update(x, y), 6) for _ in range(3)])
