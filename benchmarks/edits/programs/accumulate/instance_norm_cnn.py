# InstanceNorm in a small network of convolutions
# offered: no
# because: running statistics are updated for each part
# about: {"batch": "batch_size", "value": 4}
# fails: loss = loss_fn(net(images), labels)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.InstanceNorm2d(4, track_running_stats=True), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
X, y = torch.randn(32, 1, 6, 6), torch.randint(0, 2, (32,))
loader = DataLoader(TensorDataset(X, y), batch_size=8, shuffle=True, drop_last=True)
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
# %%
for epoch in range(2):
    for i, (images, labels) in enumerate(loader, 1):
        loss = loss_fn(net(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
