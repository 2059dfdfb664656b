# Evaluation stays as precise as it was; accuracy is counted there
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.Adam(model.parameters(), lr=0.05)
X, Y = torch.randn(24, 6), torch.randint(0, 3, (24,))
@torch.no_grad()
def evaluate():
    model.eval()
    scores = model(X)
    model.train()
    return scores.numpy().shape, scores.dtype
# %%
for epoch in range(3):
    for x, y in zip(X.split(8), Y.split(8)):
        opt.zero_grad()
        out = model(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        opt.step()
    print(epoch, evaluate())
