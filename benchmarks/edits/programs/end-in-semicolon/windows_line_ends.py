# Windows' line ends
# offered: yes
# fails: features.abs()
# %%
import torch
features = torch.linspace(-1, 1, 9)
# %%
features.abs()
# %%
n = len(features)
