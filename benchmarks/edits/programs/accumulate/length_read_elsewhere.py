# Another cell reads the number of batches
# offered: no
# because: the warm-up is counted in batches, and there would be more of them
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
steps_per_epoch = len(loader)
warmup = torch.optim.lr_scheduler.LinearLR(opt, total_iters=2 * steps_per_epoch)
# %%
for epoch in range(3):
    for xb, yb in loader:
        opt.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        opt.step()
        warmup.step()
