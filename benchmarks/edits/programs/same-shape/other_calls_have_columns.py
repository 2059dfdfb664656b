# A loss that is called with targets of (n, 1), too
# offered: no
# because: another caller gives a column, with which it would make all pairs
# about: {"column": "p", "row": "t", "result": "train_loss", "expected": "train_loss"}
# fails: return ((p - t) ** 2).mean()
# %%
import torch

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(2, 1)
X, y = torch.randn(8, 2), torch.randn(8, 1)


def mse(p, t):
    return ((p - t) ** 2).mean()


# %%
train_loss = mse(model(X), y).item()
# %%
val_loss = mse(model(X), y[:, 0]).item()
print(train_loss)
