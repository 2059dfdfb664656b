# A trained model is evaluated in a cell of its own, and trained on in the next
# offered: yes
# about: {"model": "net"}
# fails: preds.append(net(x))
# %%
import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
opt = torch.optim.Adam(net.parameters())
xs, ys = torch.randn(16, 3).split(4), torch.randint(0, 2, (16,)).split(4)
modes = []


def epoch():
    for x, y in zip(xs, ys):
        modes.append([m.training for m in net.modules()])
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


epoch()
# %%
preds = []
with torch.no_grad():
    for x in xs:
        preds.append(net(x))
print(len(preds))
# %%
epoch()
print(len(modes), all(map(all, modes)))
