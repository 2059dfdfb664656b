# A helper that trains only what still has a graph
# offered: no
# because: requires_grad of what is kept decides
# about: {"name": "outs"}
# fails: outs.append(net(x).mean())
# %%
import torch
net = torch.nn.Linear(3, 1)
outs = []
# %%
for x in torch.randn(4, 5, 3):
    outs.append(net(x).mean())
# %%
alive = [each for each in outs if each.requires_grad]
print(len(alive))
