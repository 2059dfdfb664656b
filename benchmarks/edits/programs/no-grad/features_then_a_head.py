# Features of a frozen net are kept, and a head is trained on them
# offered: yes
# about: {}
# fails: feats.append(backbone(xb))
# %%
import torch
from torch import nn

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
backbone = nn.Sequential(nn.Linear(5, 9), nn.Tanh()).eval()
images, labels = torch.randn(18, 5), torch.randint(0, 2, (18,))
# %%
feats = []
for xb in images.split(6):
    feats.append(backbone(xb))
feats = torch.cat(feats).detach()
# %%
head = nn.Linear(9, 2)
sgd = torch.optim.SGD(head.parameters(), lr=0.2)
for _ in range(4):
    sgd.zero_grad()
    out = nn.functional.cross_entropy(head(feats), labels)
    out.backward()
    sgd.step()
print(out.item())
