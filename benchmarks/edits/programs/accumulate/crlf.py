# A cell that came from Windows, counted from nought
# offered: yes
# about: {"batch": "batch_size", "value": 4}
# fails: loss = crit(model(xb), yb)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
features, labels = torch.randn(32, 3), torch.rand(32, 1)
ds = TensorDataset(features, labels)
dl = DataLoader(ds, batch_size=8, drop_last=True)
model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
crit = nn.BCEWithLogitsLoss()
opt = torch.optim.Adagrad(model.parameters())
# %%
for epoch in range(2):
    for n, (xb, yb) in enumerate(dl):
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()  # größer
        opt.step()
