# A contrastive loss compares each row with all others of its batch
# offered: no
# because: in a smaller batch there are fewer to compare with
# about: {"batch": "batch_size", "value": 8}
# fails: z1, z2 = F.normalize(encoder(a), dim=1), F.normalize(encoder(b), dim=1)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 4)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
encoder = nn.Linear(4, 8)
opt = torch.optim.SGD(encoder.parameters(), lr=1e-2)
# %%
for a, b in loader:
    opt.zero_grad()
    z1, z2 = F.normalize(encoder(a), dim=1), F.normalize(encoder(b), dim=1)
    loss = F.cross_entropy(z1 @ z2.T / 0.1, torch.arange(len(a)))
    loss.backward()
    opt.step()
