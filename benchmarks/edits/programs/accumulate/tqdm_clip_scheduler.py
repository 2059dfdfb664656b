# tqdm around the loader, gradients are clipped, a scheduler steps with the optimizer
# offered: yes
# about: {"batch": "batch_size", "value": 8}
# fails: pred = net(inputs)
# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
device = "cuda" if torch.cuda.is_available() else "cpu"
# %%
class Net(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, width), nn.GELU(), nn.LayerNorm(width))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        x = self.body(x)
        return self.head(x)

net = Net().to(device)
# %%
features, labels = torch.randn(64, 5), torch.randn(64, 1)
train_set = TensorDataset(features, labels)
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
criterion = nn.MSELoss()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
# %%
for epoch in range(2):
    for inputs, targets in tqdm(train_loader, disable=True):  # an epoch
        inputs, targets = inputs.to(device), targets.to(device)
        pred = net(inputs)
        loss = criterion(pred, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
