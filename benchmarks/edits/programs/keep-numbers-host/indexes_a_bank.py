# Rows of a bank on the host are chosen by what was kept
# offered: no
# because: what indexes and is indexed have to be where they were
# about: {"name": "banks"}
# fails: banks.append(net(x))
# %%
import torch
net = torch.nn.Linear(2, 3).cuda()
order = torch.tensor([2, 0, 1]).cuda()
banks = []
with torch.no_grad():
    for x in torch.randn(2, 3, 2).cuda():
        banks.append(net(x))
# %%
chosen = [bank[order].sum().item() for bank in banks]
