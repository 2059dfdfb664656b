# Underscores that are the notebook's own loop variable
# offered: yes
# fails: for _ in range(3):
# %%
import torch
w = torch.ones(3)
# %%
for _ in range(3):
    w = w * 0.5
w
# %%
done = w.sum().item()
