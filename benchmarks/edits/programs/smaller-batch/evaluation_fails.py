# The evaluation runs out, not the training: its own loader is the one that counts
# offered: yes
# about: {"value": 24, "line": "eval_loader = DataLoader(eval_ds, batch_size=24)"}
# fails: scores.append(model(x).softmax(-1))
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
eval_ds = TensorDataset(torch.randn(50, 4))
train_ds = TensorDataset(torch.randn(48, 4), torch.randint(0, 2, (48,)))
train_loader = DataLoader(train_ds, batch_size=24, shuffle=True)
eval_loader = DataLoader(eval_ds, batch_size=24)
# %%
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), 0.1)
for x, y in train_loader:
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
# %%
model.eval()
scores, seen = [], 0
with torch.inference_mode():
    for (x,) in iter(eval_loader):
        scores.append(model(x).softmax(-1))
        seen += len(x)
scores = torch.cat(scores)
