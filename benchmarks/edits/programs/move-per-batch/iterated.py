# The tensor itself is looped over with enumerate
# offered: yes
# about: {"data": ["X"], "gpu": ["X"]}
# fails: energies.append(float(net(row).sum()))
# %%
import torch
net = torch.nn.Linear(4, 4).cuda()
X = torch.eye(4)
X = X.cuda()
energies = []
with torch.no_grad():
    for n, row in enumerate(X):
        energies.append(float(net(row).sum()))
