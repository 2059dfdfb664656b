# A function that validates, called by the training loop after each epoch
# offered: yes
# about: {"places": ["pred = net(xb)"]}
# fails: pred = net(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
train = list(zip(X[:24].split(8), y[:24].split(8)))
valid = list(zip(X[24:].split(4), y[24:].split(4)))
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
opt = torch.optim.AdamW(net.parameters(), lr=0.05)


# %%
def validate(net, loader):
    """Mean loss and accuracy."""
    total, right, n = 0.0, 0, 0
    for xb, yb in loader:
        pred = net(xb)
        total += F.cross_entropy(pred, yb).item() * len(xb)
        right += (pred.argmax(1) == yb).sum().item()
        n += len(xb)
    return total / n, right / n


# %%
history = []
for epoch in range(3):
    for xb, yb in train:
        opt.zero_grad()
        loss = F.cross_entropy(net(xb), yb)
        loss.backward()
        opt.step()
    history.append(validate(net, valid))
    print(f"epoch {epoch}: {history[-1][0]:.4f} {history[-1][1]:.2f}")
