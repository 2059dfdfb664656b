# Warm-up by LambdaLR, a step for each batch
# offered: yes
# about: {"batch": "bs", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
bs = 12
X, Y = torch.randn(48, 3), torch.randn(48, 1)
dl = DataLoader(TensorDataset(X, Y), batch_size=bs, shuffle=True)
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 10))
# %%
for epoch in range(3):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
print(scheduler.get_last_lr())
