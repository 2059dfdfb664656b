# A plain loop; the loss is a number in the log
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: out = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
# %%
losses = []
for epoch in range(2):
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = F.cross_entropy(out, yb)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print(losses[-1] < 5)
