# The batch stands in the cell of the class, and the model has been trained already
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 6GiB
# run: 1 2 3 4!
# fails: fit(net, steps=2)
# cure: BATCH_SIZE = 768 => BATCH_SIZE = 192
# source: https://www.kaggle.com/discussions/getting-started/140636

# %%
import torch
import torch.nn as nn

BATCH_SIZE = 768
LR = 3e-4


class ConvNet(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
        )
        self.head = nn.Linear(2 * width, 10)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


def fit(net, steps):
    for _ in range(steps):
        x = torch.rand(BATCH_SIZE, 3, size, size, device="cuda")
        y = torch.randint(0, 10, (BATCH_SIZE,), device="cuda")
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


# %%
net = ConvNet().cuda()
opt = torch.optim.Adam(net.parameters(), lr=LR)

# %%
size = 32
fit(net, steps=3)

# %%
# now in full resolution
size = 112
fit(net, steps=2)
