# Differences of the last two outputs, until they are small
# offered: yes
# about: {"name": "outs"}
# fails: outs.append(step(outs[-1]))
# %%
import torch
a = torch.eye(3) * 0.5

def step(x):
    return a @ x + 1

outs = [torch.zeros(3), torch.ones(3)]
n = 0
while (outs[-1] - outs[-2]).norm() > 1e-3:
    outs.append(step(outs[-1]))
    n += 1
print(n)
