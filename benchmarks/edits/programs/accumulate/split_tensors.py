# zip over the parts of two tensors, timed
# offered: yes
# about: {"batch": "batch_size", "value": 6}
# fails: loss = nn.functional.mse_loss(net(a), b)
# %%
import torch
from torch import nn
torch.manual_seed(7); torch.set_default_dtype(torch.float64)
A = torch.randn(36, 3)
B = torch.randn(36, 3)
net = nn.Linear(3, 3)
opt = torch.optim.Adam(net.parameters())
# %%
%%time
for epoch in range(2):
    for a, b in zip(A.split(12), B.split(12)):
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(net(a), b)
        loss.backward()
        opt.step()
