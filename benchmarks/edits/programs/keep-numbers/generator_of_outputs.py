# A generator hands out what it keeps, and its caller trains with that
# offered: no
# because: what is yielded goes backward
# about: {"name": "kept"}
# fails: kept.append(net(x))
# %%
import torch
net = torch.nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

def pairs(xs):
    kept = []
    for x in xs:
        kept.append(net(x))
        if len(kept) == 2:
            yield kept
            kept = []
# %%
for first, second in pairs(torch.randn(6, 2, 3)):
    opt.zero_grad()
    (first - second).pow(2).sum().backward()
    opt.step()
