# zero_grad stands between the loss and its backward pass
# offered: yes
# about: {}
# fails: loss = loss_fn(pred, yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randn(24, 1)), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
# %%
for epoch in range(3):
    for xb, yb in loader:
        pred = model(xb)
        loss = loss_fn(pred, yb)

        # Backpropagation
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
