# The last hundred losses in a deque, in a while loop, with Windows' line ends
# offered: yes
# about: {"name": "recent"}
# fails: loss = ((w * x).sum() - 1) ** 2
# %%
from collections import deque
import torch

w = torch.ones(7, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
recent = deque(maxlen=100)
step = 0
# %%
while step < 12:
    x = torch.arange(7.) / (step + 7)
    loss = ((w * x).sum() - 1) ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    recent.append(loss)
    step += 1
    if step % 4 == 0:
        print(step, float(sum(recent)) / len(recent))
