# Snapshots of activations of which only one is printed
# offered: yes
# about: {"name": "snapshots"}
# fails: h = torch.tanh(layer(h))
# %%
import torch
layer = torch.nn.Linear(3, 3).cuda()
h = torch.ones(2, 3).cuda()
snapshots = []
# %%
%%time
with torch.no_grad():
    for step in range(5):
        h = torch.tanh(layer(h))
        snapshots.append(h)
print(len(snapshots), snapshots[-1].mean().item())
