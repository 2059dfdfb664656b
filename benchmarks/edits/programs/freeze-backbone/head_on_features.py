# A head is trained on a backbone that no optimizer has
# offered: yes
# about: {"name": "backbone", "trained": []}
# fails: feats = backbone(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(24, 6), torch.randint(0, 3, (24,))
# %%
backbone = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))
head = nn.Linear(8, 3)
opt = torch.optim.Adam(head.parameters(), lr=1e-2)
# %%
for epoch in range(2):
    for xb, yb in zip(X.split(8), y.split(8)):
        feats = backbone(xb)
        loss = F.cross_entropy(head(feats), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
