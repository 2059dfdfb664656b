# `fit` calls `validate` after each epoch, and nobody says `train()` again
# offered: yes
# about: {"model": "model"}
# fails: total += loss_fn(model(xb), yb).item()
# %%
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.drop, self.fc2 = nn.Linear(5, 8), nn.Dropout(0.0), nn.Linear(8, 1)

    def forward(self, x):
        h = self.fc1(x).relu()
        if self.training:
            h = h + 0.0 * self.drop(h)
        return self.fc2(h)


model, loss_fn = Net(), nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
batches = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(5)]
modes = []


# %%
def validate(loader):
    total = 0.0
    for xb, yb in loader:
        total += loss_fn(model(xb), yb).item()
    return total / len(loader)


def fit(epochs):
    for epoch in range(epochs):
        for xb, yb in batches[:3]:
            modes.append(model.training)
            opt.zero_grad()
            loss_fn(model(xb), yb).backward()
            opt.step()
        print(epoch, validate(batches[3:]))


# %%
fit(3)
print(modes)
