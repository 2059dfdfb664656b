# The number is called per_step, which is no name of a batch
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# fails: value = critic(states).mean()
# cure: per_step = 600 => per_step = 60
# source: https://spinningup.openai.com/en/latest/algorithms/ppo.html

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

per_step = 600
critic = make(classes=1).cuda()
optimizer = torch.optim.Adam(critic.parameters())

# %%
for epoch in range(3):
    states = torch.rand(per_step, 3, 64, 64, device="cuda")
    value = critic(states).mean()
    optimizer.zero_grad()
    value.backward()
    optimizer.step()
