# A loss function of one's own, enumerate, and weights from a list
# offered: yes
# about: {"total": "loss"}
# fails: loss += weights[i] * distance(model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(2, 2)
opt = torch.optim.RMSprop(model.parameters())
weights = [1.0, 0.5, 0.25]
pairs = [(torch.randn(3, 2), torch.randn(3, 2)) for _ in range(3)]
def distance(a, b):
    return (a - b).pow(2).sum(1).mean()
# %%
for epoch in range(2):
    loss = 0.0
    for i, (x, y) in enumerate(pairs):
        loss += weights[i] * distance(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
