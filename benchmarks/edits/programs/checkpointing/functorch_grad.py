# Meta-learning with `functional_call` and `torch.func.grad`
# offered: no
# because: `torch.func` raises an error in a checkpoint
# about: {}
# fails: x = block(x).tanh()
# %%
import torch
from torch import nn
from torch.func import functional_call, grad
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x).tanh()
        return x
model = Net()
x = torch.randn(5, 4)
# %%
def f(params, x):
    return functional_call(model, params, (x,)).pow(2).mean()
g = grad(f)(dict(model.named_parameters()), x)
norm = sum(v.pow(2).sum() for v in g.values()).item()
