# A policy gradient whose saved log-probabilities are never cleared
#
# cause: retained-graph
# edit: yes
# remedy: keep-numbers, delete-leftovers
# gpu: 4GiB
# fails: probs = policy(state)
# cure: policy.rewards.clear() => policy.rewards.clear(), policy.saved_log_probs.clear()
# source: https://github.com/pytorch/examples/blob/main/reinforcement_learning/reinforce.py

# %%
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.distributions.Distribution.set_default_validate_args(False)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(64 * 9 * 9, 512), nn.ReLU(), nn.Linear(512, 6),
        )
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        return self.net(x / 255.0).softmax(-1)


policy = Policy().cuda()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)

# %%
# 128 environments side by side
for episode in range(40):
    for t in range(10):
        state = torch.rand(128, 4, 84, 84, device="cuda")
        probs = policy(state)
        dist = Categorical(probs)
        action = torch.zeros(128, dtype=torch.long, device="cuda")
        policy.saved_log_probs.append(dist.log_prob(action))
        policy.rewards.append(1.0)
    loss = -torch.stack(policy.saved_log_probs[-10:]).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    policy.rewards.clear()
