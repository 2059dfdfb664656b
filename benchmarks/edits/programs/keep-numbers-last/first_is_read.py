# The first is the reference
# offered: no
# because: states[0] is read
# about: {"name": "states"}
# fails: states.append(states[-1] * 0.5)
# %%
import torch
states = [torch.ones(3)]
for _ in range(5):
    states.append(states[-1] * 0.5)
drop = (states[0] - states[-1]).norm().item()
