# A comprehension over enumerate whose values are made lists, with Windows' line ends
# offered: yes
# about: {"name": "feats"}
# fails: feats = {i: net(x.to("cuda")) for i, x in enumerate(images)}
# %%
import torch
torch.manual_seed(1)
net = torch.nn.Conv2d(1, 2, 3).cuda().eval()
images = torch.randn(4, 1, 1, 6, 6)
# %%
with torch.no_grad():
    feats = {i: net(x.to("cuda")) for i, x in enumerate(images)}
# %%
sizes = {i: list(f.shape) for i, f in feats.items()}
first = feats[0].flatten().tolist()[:3]
