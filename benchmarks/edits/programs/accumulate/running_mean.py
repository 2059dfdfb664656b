# The mean loss of an epoch, which does not change: summed up, divided by the number of batches
# offered: yes
# about: {"batch": "BATCH_SIZE", "value": 6}
# fails: loss = loss_fn(model(x), t)
# %%
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(2); torch.set_default_dtype(torch.float64)
# %%
BATCH_SIZE = 12
EPOCHS = 3
features, labels = torch.randn(48, 4), torch.randn(48, 2)
data = TensorDataset(features, labels)
loader = DataLoader(data, batch_size=BATCH_SIZE, shuffle=True, drop_last=True)
# %%
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
loss_fn = nn.L1Loss()
opt = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
# %%
for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for x, t in loader:
        opt.zero_grad()
        loss = loss_fn(model(x), t)
        loss.backward()
        opt.step()
        running += loss.item()
    print(f"epoch {epoch}: {running / len(loader):.6f}")
