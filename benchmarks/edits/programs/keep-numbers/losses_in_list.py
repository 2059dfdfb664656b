# Losses of each batch in a list, whose mean is printed and drawn later
# offered: yes
# about: {"name": "losses"}
# fails: loss = criterion(model(xb), yb)
# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
xs, ys = torch.randn(64, 6), torch.randint(0, 3, (64,))
# %%
losses = []
for epoch in range(3):
    for xb, yb in zip(xs.split(16), ys.split(16)):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")
# %%
curve = [each.item() for each in losses]
print(max(curve), min(curve))
