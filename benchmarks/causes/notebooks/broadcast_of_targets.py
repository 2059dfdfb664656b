# Predictions of shape (N, 1) against targets of shape (N,)
#
# cause: huge-request
# edit: yes
# remedy: none
# gpu: 16GiB
# fails: loss = ((pred - y) ** 2).mean()
# cure: pred - y) => pred.squeeze(1) - y)
# source: https://github.com/pytorch/pytorch/issues/16045

# %%
import torch
import torch.nn as nn

N = 80_000
X = torch.randn(N, 20).cuda()
y = torch.randn(N).cuda()

# %%
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1)

# %%
# full batch, the data are small
pred = model(X)
loss = ((pred - y) ** 2).mean()
loss.backward()
