# REINFORCE: log probabilities that the agent keeps, and the training reads as agent.logps
# offered: no
# because: they go backward at the end of the episode
# about: {"name": "agent.logps"}
# fails: dist = torch.distributions.Categorical(logits=self.policy(state))
# %%
import torch
from torch import nn
torch.manual_seed(1)

class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 2)
        self.logps, self.rewards = [], []

    def act(self, state):
        dist = torch.distributions.Categorical(logits=self.policy(state))
        action = dist.sample()
        self.logps.append(dist.log_prob(action))
        return action.item()
# %%
agent = Agent()
optim = torch.optim.Adam(agent.parameters(), lr=0.01)
for episode in range(2):
    for t in range(5):
        action = agent.act(torch.randn(4))
        agent.rewards.append(float(action))
    returns = torch.tensor(agent.rewards)
    loss = -(torch.stack(agent.logps) * returns).sum()
    optim.zero_grad()
    loss.backward()
    optim.step()
    agent.logps.clear(); agent.rewards.clear()
