# Prototypes are normalised before the loop
# offered: no
# because: their graph is one for all rounds
# about: {"total": "loss"}
# fails: loss = loss + F.cross_entropy(model(x) @ unit.T, y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(3, 4)
prototypes = nn.Parameter(torch.randn(5, 4))
opt = torch.optim.SGD([*model.parameters(), prototypes], lr=0.1)
batches = [(torch.randn(6, 3), torch.randint(0, 5, (6,))) for _ in range(3)]
# %%
def step():
    opt.zero_grad()
    unit = prototypes / prototypes.norm(dim=1, keepdim=True)
    loss = 0
    for x, y in batches:
        loss = loss + F.cross_entropy(model(x) @ unit.T, y)
    loss.backward()
    opt.step()
# %%
for _ in range(2):
    step()
