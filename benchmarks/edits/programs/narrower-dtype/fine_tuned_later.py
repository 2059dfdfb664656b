# A model predicts now, and a later cell trains it
# offered: no
# because: a cell may train it
# about: {"way": "half", "model": "net"}
# fails: first = net(ids)
# %%
import torch
from torch import nn

torch.manual_seed(7)
# %%
net = nn.Sequential(nn.Embedding(8, 4), nn.Linear(4, 2))
ids = torch.randint(0, 8, (4,))
# %%
with torch.no_grad():
    first = net(ids)
# %%
def tune(module, steps=3):
    opt = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(steps):
        loss = module(ids).logsumexp(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


print(tune(net))
