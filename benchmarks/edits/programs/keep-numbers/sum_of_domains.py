# A sum over domains that is divided before it goes backward
# offered: no
# because: total goes backward under another name
# about: {"name": "total"}
# fails: total = total + F.mse_loss(net(x), y)
# %%
import torch, torch.nn.functional as F
torch.manual_seed(3)
net = torch.nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
domains = {name: (torch.randn(4, 2), torch.randn(4, 1)) for name in "abc"}
# %%
for epoch in range(3):
    total = 0
    for name, (x, y) in domains.items():
        total = total + F.mse_loss(net(x), y)
    mean = total / len(domains)
    opt.zero_grad()
    mean.backward()
    opt.step()
