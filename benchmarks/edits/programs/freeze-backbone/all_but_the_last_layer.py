# The optimizer has the last layer only; all others get gradients for nothing
# offered: yes
# about: {"name": "net", "trained": ["net.fc"]}
# fails: out = net(xb)
# %%
import torch
from torch import nn

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 12), nn.Tanh())
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        return self.fc(self.body(x))


# %%
net = Net()
net.fc = nn.Linear(12, 2)
optimizer = torch.optim.SGD(net.fc.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
# %%
data = list(zip(torch.randn(16, 5).split(4), torch.randint(0, 2, (16,)).split(4)))
for epoch in range(2):
    for i, (xb, yb) in enumerate(data):
        out = net(xb)
        loss = nn.functional.cross_entropy(out, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(f"{loss.item():.6f}")
