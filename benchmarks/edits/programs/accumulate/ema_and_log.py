# An average of the weights moves with each batch, and every tenth batch is printed
# offered: no
# because: both would happen four times as often
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch, copy
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
model = nn.Linear(4, 1)
ema = copy.deepcopy(model)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
def update(ema, model, decay=0.9):
    with torch.no_grad():
        for a, b in zip(ema.parameters(), model.parameters()):
            a.mul_(decay).add_(b, alpha=1 - decay)
# %%
for i, (xb, yb) in enumerate(loader):
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
    update(ema, model)
    if i % 2 == 0:
        print(i, round(loss.item(), 6))
