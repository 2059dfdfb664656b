# Within while, with an early stop by the accuracy
# offered: yes
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.cross_entropy(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(X, Y.gt(0).long()[:, 0]), batch_size=16, drop_last=True, shuffle=True)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
epoch = 0
# %%
while epoch < 3:
    for xb, yb in loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.2)
        opt.step()
    epoch += 1
