# A plain loop over a loader that drops its last batch
# offered: yes
# about: {"batch": "batch_size", "value": 4}
# fails: out = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
# %%
batch_size = 16
X, y = torch.randn(70, 6), torch.randint(0, 3, (70,))
loader = DataLoader(TensorDataset(X, y), batch_size=batch_size, shuffle=True, drop_last=True)
# %%
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
# %%
for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = F.cross_entropy(out, yb)
        loss.backward()
        optimizer.step()
# %%
with torch.no_grad():
    print(round((model(X).argmax(1) == y).double().mean().item(), 6))
