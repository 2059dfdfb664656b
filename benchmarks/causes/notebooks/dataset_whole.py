# The whole data set is moved to the GPU before training
#
# cause: data-on-gpu
# also: activations
# edit: yes
# remedy: move-per-batch
# gpu: 2.5GiB
# fails: pred = model(X_train[i:i + batch_size])
# cure: windows.to(device) => windows
# cure: targets.to(device) => targets
# cure: model(X_train[i:i + batch_size]) => model(X_train[i:i + batch_size].to(device))
# cure: y_train[i:i + batch_size]) => y_train[i:i + batch_size].to(device))
# source: https://www.codegenes.net/blog/pytorch-cant-load-entire-dataset

# %%
import torch
from torch import nn

device = torch.device("cuda:0")
# 9 years of hourly measurements, windows of 168 hours
windows = torch.zeros(20_000, 168, 128)
targets = torch.zeros(20_000, 24)

# %%
X_train = windows.to(device)
y_train = targets.to(device)


# %%
class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(128, 256, 3, padding=1), nn.ReLU(),
            nn.Conv1d(256, 256, 3, padding=1), nn.ReLU(),
        )
        self.out = nn.Linear(256, 24)

    def forward(self, x):
        return self.out(self.net(x.transpose(1, 2)).mean(2))


model = Forecaster().to(device)
optimizer = torch.optim.Adam(model.parameters())

# %%
batch_size = 1024
for epoch in range(1):
    for i in range(0, len(X_train), batch_size):
        pred = model(X_train[i:i + batch_size])
        loss = nn.functional.l1_loss(pred, y_train[i:i + batch_size])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
