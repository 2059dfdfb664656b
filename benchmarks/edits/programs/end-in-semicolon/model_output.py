# A cell ends in the output of a model
# offered: yes
# fails: model(x)
# %%
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
x = torch.randn(5, 4)
# %%
model(x)
# %%
mean = model(x).mean().item()
