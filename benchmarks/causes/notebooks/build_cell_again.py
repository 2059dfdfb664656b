# The cell that builds network and optimizer by one function is run again to start afresh
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: delete-leftovers
# gpu: 4GiB
# run: 1 2 3 2!
# fails: net, optim = build(width=8192)
# cure: net, optim = build => net = optim = out = None\nnet, optim = build
# source: https://stackoverflow.com/questions/57858433/how-to-clear-gpu-memory-after-pytorch-model-training-without-restarting-kernel

# %%
import torch
from torch import nn


def build(width):
    net = nn.Sequential(*[nn.Linear(width, width) for _ in range(4)]).to("cuda")
    return net, torch.optim.SGD(net.parameters(), lr=3e-4, momentum=0.9)


# %%
net, optim = build(width=8192)

# %%
for _ in range(3):
    out = net(torch.randn(64, 8192, device="cuda"))
    optim.zero_grad()
    out.square().mean().backward()
    optim.step()
