# Cosine warm restarts with the fraction of an epoch
# offered: no
# because: the schedule would step more often
# about: {"batch": "BS", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
BS = 16
ds = TensorDataset(X, Y)
loader = DataLoader(ds, batch_size=BS, drop_last=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-1)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 2)
iters = len(loader)
# %%
for epoch in range(3):
    for i, (xb, yb) in enumerate(loader):
        opt.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        opt.step()
        sched.step(epoch + i / iters)
