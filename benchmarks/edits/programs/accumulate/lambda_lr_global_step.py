# A rate by `global_step`, which a lambda reads
# offered: no
# because: a counter of batches is read by the schedule
# about: {"batch": "bs", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
bs, global_step = 12, 0
dl = DataLoader(TensorDataset(torch.randn(48, 3), torch.randn(48, 1)), batch_size=bs, shuffle=True)
model, criterion = nn.Linear(3, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
lr_sched = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0 / (1 + global_step))
# %%
for epoch in range(3):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        global_step += 1
        lr_sched.step()
