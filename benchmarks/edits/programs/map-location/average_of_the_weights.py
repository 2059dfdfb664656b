# An average of the weights, updated after each step and saved at the end
# offered: yes
# about: {"way": "average", "name": "ema"}
# fails: loss = model(x).square().mean()
# %%
import copy

import torch

torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
decay = 0.9
# %%
ema = copy.deepcopy(model).eval()
ema.requires_grad_(False)
for x in torch.ones(4, 2, 3):
    loss = model(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for e, p in zip(ema.parameters(), model.parameters()):
        e.lerp_(p, 1 - decay)
print(loss.item())
