# Hyperparameters in a dict; validation has an entry of its own with the same number
# offered: yes
# about: {"value": 32, "line": "\"batch_size\": 32,"}
# fails: pred = mlp(batch[0]).squeeze(-1)
# %%
import torch, math
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
CFG = {
    "lr": 1e-2,
    "batch_size": 32,
    "val_batch_size": 32,
    "epochs": 2,
}
# %%
torch.manual_seed(1)
feats = torch.randn(100, 6); target = feats.sum(1)
train = TensorDataset(feats[:80], target[:80]); val = TensorDataset(feats[80:], target[80:])
dls = {
    "train": DataLoader(train, batch_size=CFG["batch_size"], shuffle=True),
    "val": DataLoader(val, batch_size=CFG["val_batch_size"]),
}
mlp = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optim = torch.optim.AdamW(mlp.parameters(), lr=CFG["lr"])
# %%
history = []
for epoch in range(CFG["epochs"]):
    seen = 0
    for batch in dls["train"]:
        pred = mlp(batch[0]).squeeze(-1)
        loss = ((pred - batch[1]) ** 2).mean()
        loss.backward(); optim.step(); optim.zero_grad()
        seen += len(batch[0])
    history.append(seen)
