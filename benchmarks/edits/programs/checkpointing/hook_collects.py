# A forward hook collects activations
# offered: no
# because: it would be called twice, or not at all
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(4)])
seen = []
for layer in model:
    layer.register_forward_hook(lambda m, i, o: seen.append(o.detach().mean().item()))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    out = model(x)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(len(seen))
