# A forward that returns an intermediate feature map besides the output, and a loop that keeps it
#
# cause: retained-graph
# also: kept-tensors, activations
# edit: yes
# remedy: keep-numbers, smaller-batch
# gpu: 3GiB
# fails: loss.backward()
# cure: heat_maps.append(feats) => heat_maps.append(feats[:1].detach().cpu())
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/5735

# %%
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, width=64, num_classes=100):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.block1 = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(inplace=True))
        self.block2 = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(inplace=True))
        self.fc = nn.Linear(width, num_classes)

    def forward(self, x):
        x = self.block1(self.stem(x))
        feats = self.block2(x)
        # the map before pooling is wanted for the heat maps below
        return self.fc(F.adaptive_avg_pool2d(feats, 1).flatten(1)), feats


net = Net().cuda()
opt = torch.optim.Adam(net.parameters(), lr=3e-4)

# %%
images = torch.rand(24, 3, 224, 224, device="cuda")
labels = torch.randint(0, 100, (24,), device="cuda")

# %%
heat_maps = []
for step in range(12):
    opt.zero_grad()
    out, feats = net(images)
    loss = F.cross_entropy(out, labels)
    loss.backward()
    opt.step()
    heat_maps.append(feats)
