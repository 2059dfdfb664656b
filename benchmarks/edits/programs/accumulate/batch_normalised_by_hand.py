# Features are centred by the mean of the batch, by hand
# offered: no
# because: samples look at the mean of their batch
# about: {"batch": "BATCH", "value": 8}
# fails: h = torch.tanh(enc(xb))
# %%
import torch, torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
BATCH = 16
X, Y = torch.randn(64, 5), torch.randn(64, 4)
loader = DataLoader(TensorDataset(X, Y), batch_size=BATCH)
enc, dec = nn.Linear(5, 6), nn.Linear(6, 4)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
# %%
for epoch in range(2):
    for xb, yb in loader:
        h = torch.tanh(enc(xb))
        h = h - h.mean(dim=0, keepdim=True)
        loss = F.mse_loss(dec(h), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
