# The device of what was kept says where the rest is made
# offered: no
# because: its device decides
# about: {"name": "outs"}
# fails: outs.append(net(x))
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()
outs = []
with torch.no_grad():
    for x in torch.ones(2, 3, 2).cuda():
        outs.append(net(x))
# %%
weights = torch.ones(3, 2, device=outs[0].device)
where = weights.device.type
