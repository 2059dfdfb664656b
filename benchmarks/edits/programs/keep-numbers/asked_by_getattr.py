# What is kept in an attribute is read by its name as text
# offered: no
# because: getattr(memory, "values") goes backward
# about: {"name": "memory.values"}
# fails: memory.values.append(critic(state).squeeze())
# %%
import torch
from types import SimpleNamespace
torch.manual_seed(7)
critic = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(critic.parameters(), lr=0.1)
memory = SimpleNamespace(values=[], rewards=[])
# %%
for state in torch.randn(6, 3):
    memory.values.append(critic(state).squeeze())
    memory.rewards.append(1.0)
# %%
loss = 0
for field in ["values"]:
    predicted = torch.stack(getattr(memory, field))
    loss = loss + (predicted - torch.tensor(memory.rewards)).pow(2).mean()
opt.zero_grad(); loss.backward(); opt.step()
