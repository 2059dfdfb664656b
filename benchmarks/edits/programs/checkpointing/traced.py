# The model is traced and saved
# offered: no
# because: a traced model is computed otherwise
# about: {}
# fails: x = block(x)
# %%
import io, torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
model = Net()
x = torch.randn(2, 4)
# %%
y = model(x)
y.pow(2).mean().backward()
# %%
traced = torch.jit.trace(model.eval(), x)
buf = io.BytesIO(); torch.jit.save(traced, buf)
same = torch.equal(traced(x), model(x))
