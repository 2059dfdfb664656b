# Validation without gradients, but the network is in training mode and puts out a map of each stage
#
# cause: evaluation-in-training-mode
# also: activations
# edit: yes
# remedy: eval-mode, smaller-batch
# gpu: 5GiB
# fails: outs = net(volumes)
# cure: with torch.no_grad(): => net.eval()\nwith torch.no_grad():
# source: https://github.com/Project-MONAI/MONAI/issues/4425

# %%
import torch
from torch import nn
import torch.nn.functional as F


class DeeplySupervised(nn.Module):
    def __init__(self, stages=5, width=16, classes=40):
        super().__init__()
        self.stem = nn.Conv3d(1, width, 3, padding=1)
        self.stages = nn.ModuleList(nn.Conv3d(width, width, 3, stride=2, padding=1) for _ in range(stages))
        self.heads = nn.ModuleList(nn.Conv3d(width, classes, 1) for _ in range(stages))

    def forward(self, x):
        size = x.shape[2:]
        x = F.relu(self.stem(x))
        maps = []
        for stage, head in zip(self.stages, self.heads):
            x = F.relu(stage(x))
            if self.training:
                maps.append(F.interpolate(head(x), size=size, mode="trilinear"))
        return maps if self.training else F.interpolate(head(x), size=size)


net = DeeplySupervised().cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.01)

# %%
crops = torch.rand(1, 1, 96, 96, 96, device="cuda")
for _ in range(2):
    loss = sum(each.logsumexp(1).mean() for each in net(crops))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %%
volumes = torch.rand(1, 1, 192, 192, 192, device="cuda")
with torch.no_grad():
    outs = net(volumes)
    final = outs[-1] if isinstance(outs, list) else outs
    print(final.shape)
