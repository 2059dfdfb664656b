# Noise is added to the batches in place, which changes the data
# offered: no
# because: a copy would be changed and not the data
# about: {"data": ["X"], "gpu": ["X"]}
# fails: out = net(xb)
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()
X = torch.ones(8, 2)
X = X.cuda()
for epoch in range(2):
    for i in range(0, 8, 4):
        xb = X[i:i + 4]
        xb += 0.5
        out = net(xb)
# %%
total = X.sum().item()
