# A step in a parent class, with a property that looks at gradients
# offered: no
# because: a property looks at the gradients of the step before
# about: {}
# fails: loss = self.loss(xb, yb)
# %%
import torch, torch.nn.functional as F
torch.manual_seed(0)
class Base:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
    @property
    def scale(self):
        g = self.net.weight.grad
        return 1.0 if g is None else 1.0 + g.abs().sum().item()
    def loss(self, xb, yb):
        return F.mse_loss(self.net(xb), yb) * self.scale
    def step(self, xb, yb):
        loss = self.loss(xb, yb)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
class Mine(Base):
    pass
# %%
t = Mine()
history = [t.step(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(4)]
