# The array of what was kept is changed, and the tensor read again
# offered: no
# because: on the host the array and the tensor share their memory
# about: {"name": "maps"}
# fails: maps.append(net(x))
# %%
import torch
net = torch.nn.Conv2d(1, 1, 1).cuda()
maps = []
with torch.no_grad():
    for x in torch.ones(2, 1, 1, 3, 3).cuda():
        maps.append(net(x))
# %%
array = maps[0].cpu().numpy()
array[:] = 0
print(maps[0].sum().item() == 0)
