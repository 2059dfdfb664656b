# `sample_action` gives a log probability that the update goes back through
# offered: no
# because: what it returns reaches a backward pass two cells later
# about: {}
# fails: logits = policy(state)
# %%
import torch
from torch import nn

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)


# %%
def sample_action(state):
    logits = policy(state)
    dist = torch.distributions.Categorical(logits=logits)
    action = dist.sample()
    return action.item(), dist.log_prob(action)


# %%
def episode(length=5):
    state, steps = torch.ones(3), []
    for _ in range(length):
        action, logp = sample_action(state)
        state = 0.5 * state + action
        steps.append((logp, 1.0 - action))
    return steps


# %%
for _ in range(3):
    steps = episode()
    loss = -torch.stack([p * r for p, r in steps]).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
