# The model is an argument of the function that evaluates it
# offered: yes
# about: {"model": "model"}
# fails: correct += (model(x).argmax(-1) == y).sum().item()
# %%
import torch
from torch import nn

torch.manual_seed(7)
model = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.0), nn.Linear(4, 2))
test_set = [(torch.randn(3, 2), torch.randint(0, 2, (3,))) for _ in range(2)]


# %%
@torch.no_grad()
def accuracy(model, loader):
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(-1) == y).sum().item()
    return correct


# %%
print(accuracy(model, test_set), model.training)
