# A comment stands behind the last line
# offered: yes
# fails: net(batch)  # look at the logits
# %%
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Softmax(1))
batch = torch.randn(2, 3)
# %%
net(batch)  # look at the logits
