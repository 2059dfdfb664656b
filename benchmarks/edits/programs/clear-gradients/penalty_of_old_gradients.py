# The norm of the last gradients is put into the bar before they are cleared
# offered: no
# because: the norm of the old gradients is logged
# about: {}
# fails: loss = F.mse_loss(net(x), y)
# %%
import torch, torch.nn.functional as F
from tqdm.auto import tqdm
torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
norms = []
def total_norm(params):
    return sum((p.grad.norm() ** 2).item() if p.grad is not None else 0.0 for p in params)
# %%
bar = tqdm([(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(4)])
for x, y in bar:
    loss = F.mse_loss(net(x), y)
    n = total_norm(net.parameters())
    norms.append(n); bar.set_postfix(n=n)
    opt.zero_grad()
    loss.backward()
    opt.step()
