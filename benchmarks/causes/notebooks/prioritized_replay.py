# A replay buffer of its own class, whose transitions are named tuples on the GPU
#
# cause: kept-tensors
# also: fragmentation
# edit: yes
# remedy: keep-numbers, move-per-batch
# gpu: 2GiB
# fails: learn(memory.sample(32))
# cure: self.data.append(Transition(*args)) => self.data.append(Transition(*[x.cpu() for x in args]))
# cure: torch.stack([t.state for t in batch]) => torch.stack([t.state for t in batch]).cuda()
# cure: torch.stack([t.next_state for t in batch]) => torch.stack([t.next_state for t in batch]).cuda()
# cure: torch.stack([t.reward for t in batch]) => torch.stack([t.reward for t in batch]).cuda()
# source: https://pytorch.org/tutorials/intermediate/reinforcement_q_learning.html

# %%
import random
from collections import namedtuple

import torch
import torch.nn as nn

Transition = namedtuple("Transition", ("state", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.data = []

    def push(self, *args):
        if len(self.data) >= self.capacity:
            self.data.pop(0)
        self.data.append(Transition(*args))

    def sample(self, n):
        return random.sample(self.data, min(n, len(self.data)))


# %%
q = nn.Sequential(
    nn.AvgPool2d(4), nn.Flatten(), nn.Linear(32 * 21 * 21, 512), nn.ReLU(), nn.Linear(512, 6)
).cuda()
optimizer = torch.optim.RMSprop(q.parameters(), lr=1e-4)
memory = ReplayMemory(5_000)


def learn(batch):
    states = torch.stack([t.state for t in batch])
    next_states = torch.stack([t.next_state for t in batch])
    rewards = torch.stack([t.reward for t in batch])
    with torch.no_grad():
        target = rewards + 0.99 * q(next_states).max(1).values
    loss = nn.functional.smooth_l1_loss(q(states)[:, 0], target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# %%
for t in range(1200):
    frame = torch.rand(32, 84, 84, device="cuda")
    reward = torch.ones((), device="cuda")
    memory.push(frame, frame.flip(0), reward)
    if t % 16 == 0:
        learn(memory.sample(32))
