# The last outputs are read in another cell
# offered: no
# because: they would be bfloat16 there
# about: {}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(3)]
# %%
for x, y in batches:
    opt.zero_grad()
    out = model(x)
    loss = F.mse_loss(out, y)
    loss.backward()
    opt.step()
# %%
last = out.detach().numpy().sum()
print(out.dtype)
