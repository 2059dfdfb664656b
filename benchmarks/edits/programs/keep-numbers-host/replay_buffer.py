# A replay buffer whose states train a network
# offered: no
# because: a sampled state goes to a model on the card
# about: {"name": "buffer"}
# fails: state = env(state)
# %%
import random, torch
random.seed(0)
q = torch.nn.Linear(3, 1).cuda()
opt = torch.optim.SGD(q.parameters(), lr=0.01)
buffer = []

def env(state):
    return (state * 0.9 + 0.1).detach()

state = torch.ones(3).cuda()
for step in range(8):
    state = env(state)
    buffer.append(state)
# %%
batch = torch.stack(random.sample(buffer, 4))
loss = q(batch).pow(2).mean()
loss.backward()
opt.step()
