# NumPy's float64 goes through the whole training
#
# cause: wide-dtype
# also: activations
# edit: yes
# remedy: float32, smaller-batch
# gpu: 4GiB
# fails: opt.step()
# cure: .double().cuda() => .cuda()
# cure: xb, yb = xb.cuda(), yb.cuda() => xb, yb = xb.float().cuda(), yb.float().cuda()
# source: https://discuss.pytorch.org/t/gpu-memory-gets-filled/8190

# %%
import numpy as np
import torch
import torch.nn as nn

data = np.random.rand(4096, 400)
labels = np.random.rand(4096, 1)
X = torch.from_numpy(data)
y = torch.from_numpy(labels)

# %%
# RuntimeError: mat1 and mat2 must have the same dtype, so:
net = nn.Sequential(
    nn.Linear(400, 8192), nn.Tanh(),
    nn.Linear(8192, 8192), nn.Tanh(),
    nn.Linear(8192, 8192), nn.Tanh(),
    nn.Linear(8192, 1),
).double().cuda()
opt = torch.optim.Adam(net.parameters(), lr=1e-4)

# %%
for epoch in range(5):
    for xb, yb in zip(X.split(2048), y.split(2048)):
        xb, yb = xb.cuda(), yb.cuda()
        pred = net(xb)
        loss = ((pred - yb) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
