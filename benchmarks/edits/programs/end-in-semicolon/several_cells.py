# Three cells, each with a tensor at its end
# offered: yes
# fails: c = a @ a.T
# about: {"cells": ["a * 2", "c + 1"]}
# %%
import torch
a = torch.ones(4, 3)
# %%
a * 2
# %%
c = a @ a.T
c + 1
# %%
total = c.sum().item()
