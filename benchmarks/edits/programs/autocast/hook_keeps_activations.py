# A forward hook keeps activations as arrays
# offered: no
# because: bfloat16 is no type of NumPy's
# about: {}
# fails: loss = F.mse_loss(model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 2))
acts = []
model[0].register_forward_hook(lambda m, i, o: acts.append(o.detach().numpy()))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x, y in [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(3)]:
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
