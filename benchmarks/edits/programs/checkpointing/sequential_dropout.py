# A sequence with dropout, whose draws come again
# offered: yes
# about: {"model": "net"}
# fails: loss = F.mse_loss(net(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.GELU(), nn.Linear(8, 8), nn.Dropout(0.2), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randn(24, 1)), batch_size=8, shuffle=True)
# %%
from tqdm import tqdm
for epoch in range(2):
    for xb, yb in tqdm(loader, disable=True):
        optimizer.zero_grad()
        loss = F.mse_loss(net(xb), yb)
        loss.backward()
        optimizer.step()
# %%
net.eval()
after = torch.randn(2)
