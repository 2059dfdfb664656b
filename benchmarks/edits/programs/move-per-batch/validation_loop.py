# A loader of it is used by an evaluation in another cell
# offered: no
# because: another loop gets its batches from the host then
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: loss = net(a).sub(b).pow(2).mean()
# %%
import torch
from torch.utils.data import DataLoader, TensorDataset
net = torch.nn.Linear(2, 1).cuda()
opt = torch.optim.SGD(net.parameters(), 0.1)
X, y = torch.randn(8, 2), torch.randn(8, 1)
# %%
X, y = X.cuda(), y.cuda()
loader = DataLoader(TensorDataset(X, y), batch_size=4)
for a, b in loader:
    loss = net(a).sub(b).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# %%
with torch.no_grad():
    errors = [net(p).sub(q).abs().mean().item() for p, q in loader]
