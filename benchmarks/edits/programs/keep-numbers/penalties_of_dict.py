# A dict of penalties whose values are added to the loss
# offered: no
# because: sum(terms.values()) is part of the loss
# about: {"name": "terms"}
# fails: terms[name] = strength * p.pow(2).sum()
# %%
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
strength = 0.1
# %%
for x in torch.randn(3, 5, 3):
    terms = {}
    for name, p in net.named_parameters():
        terms[name] = strength * p.pow(2).sum()
    loss = net(x).mean() ** 2 + sum(terms.values())
    opt.zero_grad()
    loss.backward()
    opt.step()
