# Terms of a loss in a list that a function with another name for it trains with
# offered: no
# because: the function goes backward through the list
# about: {"name": "terms"}
# fails: terms.append((net(x) - i).pow(2).mean())
# %%
import torch
torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

def optimize(parts):
    opt.zero_grad()
    total = sum(parts)
    total.backward()
    opt.step()
# %%
for round in range(3):
    terms = []
    for i, x in enumerate(torch.randn(4, 5, 3)):
        terms.append((net(x) - i).pow(2).mean())
    optimize(terms)
