# A helper reads the gradient by its name as text
# offered: no
# because: a function reads `grad` by its name
# about: {}
# fails: out = net(x)
# %%
import torch
torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def momentum_of(p):
    g = getattr(p, "grad", None)
    return 0.0 if g is None else float(g.abs().mean())
# %%
for x in torch.randn(4, 5, 3):
    out = net(x)
    loss = out.pow(2).mean() * (1 + momentum_of(net.weight))
    opt.zero_grad()
    loss.backward()
    opt.step()
