# A PPO rollout stores values and log-probabilities with their graphs
#
# cause: retained-graph
# also: evaluation-with-gradients, kept-tensors
# edit: yes
# remedy: no-grad, keep-numbers
# gpu: 8GiB
# fails: buffer = collect(agent, horizon=256)
# cure: def collect(agent, horizon): => @torch.no_grad()\ndef collect(agent, horizon):
# source: https://github.com/oxwhirl/pymarl/pull/73

# %%
import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, obs=376, act=17, hidden=1024):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.mu, self.v = nn.Linear(hidden, act), nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return self.mu(h), self.v(h).squeeze(-1)


agent = ActorCritic().cuda()

# %%
def collect(agent, horizon):
    """4096 simulated robots, as in massively parallel training."""
    buffer = {"obs": [], "actions": [], "log_probs": [], "values": []}
    obs = torch.zeros(4096, 376, device="cuda")
    for _ in range(horizon):
        mu, value = agent(obs)
        action = mu + torch.randn_like(mu)
        buffer["obs"].append(obs)
        buffer["actions"].append(action)
        buffer["log_probs"].append(-(action - mu).pow(2).sum(-1) / 2)
        buffer["values"].append(value)
        obs = torch.randn_like(obs)
    return {k: torch.stack(v) for k, v in buffer.items()}


# %%
buffer = collect(agent, horizon=256)
