# What is kept is joined with a tensor on the card in another cell
# offered: no
# because: torch.cat takes no tensors of two devices
# about: {"name": "outs"}
# fails: outs.append(net(x))
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()
start = torch.zeros(1, 2).cuda()
outs = []
with torch.no_grad():
    for x in torch.randn(3, 4, 2).cuda():
        outs.append(net(x))
# %%
parts = [start]
parts += outs
trace = torch.cat(parts)
