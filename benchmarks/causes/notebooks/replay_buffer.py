# A DQN agent caches its frames on the GPU
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers, move-per-batch
# gpu: 3GiB
# fails: agent.run(episodes=8, steps=30)
# cure: torch.as_tensor(state).cuda() => torch.as_tensor(state)
# cure: torch.as_tensor(next_state).cuda() => torch.as_tensor(next_state)
# cure: zip(*batch)) => zip(*batch))\n        state, next_state = state.cuda(), next_state.cuda()
# source: https://github.com/pytorch/tutorials/issues/1620

# %%
import random
from collections import deque

import torch
from torch import nn


class MarioNet(nn.Module):
    def __init__(self, actions: int) -> None:
        super().__init__()
        self.online = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
            nn.Conv2d(64, 64, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(),
            nn.Linear(512, actions),
        )

    def forward(self, x):
        return self.online(x)


# %%
class Agent:
    def __init__(self, actions=5):
        self.net = MarioNet(actions).cuda()
        self.memory = deque(maxlen=100_000)
        self.batch_size = 4
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=2.5e-4)

    def cache(self, state, next_state, action, reward, done):
        state = torch.as_tensor(state).cuda()
        next_state = torch.as_tensor(next_state).cuda()
        action, reward, done = (torch.tensor([v]).cuda() for v in (action, reward, done))
        self.memory.append((state, next_state, action, reward, done))

    def learn(self):
        batch = random.sample(self.memory, self.batch_size)
        state, next_state, action, reward, done = map(torch.stack, zip(*batch))
        state, next_state = state.flatten(0, 1), next_state.flatten(0, 1)
        with torch.no_grad():
            best = self.net(next_state).max(1).values
        td = self.net(state)[:, 0]
        loss = nn.functional.smooth_l1_loss(td, 0.9 * best)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run(self, episodes, steps):
        frames = torch.rand(64, 4, 84, 84)  # of 64 environments
        for _ in range(episodes):
            for _ in range(steps):
                self.cache(frames, frames.roll(1, 0), random.randrange(5), 1.0, False)
            self.learn()


# %%
agent = Agent()
agent.run(episodes=8, steps=30)
