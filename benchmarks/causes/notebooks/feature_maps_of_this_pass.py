# Feature maps collected in a list within one forward pass, as U-Nets do
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 2560MiB
# fails: loss = model(images).mean()
# cure: batch_size = 96 => batch_size = 16
# source: https://arxiv.org/abs/1505.04597

# %%
import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, width=64, depth=5):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.steps = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(depth))
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        maps = []
        x = self.stem(x)
        for step in self.steps:
            x = torch.relu(step(x))
            maps.append(x)
        while maps:
            x = x + maps.pop()
        return self.head(x)


model = Pyramid().cuda()
optimizer = torch.optim.Adam(model.parameters())
batch_size = 96

# %%
for step in range(4):
    images = torch.rand(batch_size, 3, 128, 128, device="cuda")
    loss = model(images).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
