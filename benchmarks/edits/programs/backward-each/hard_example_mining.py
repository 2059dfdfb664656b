# The largest of the losses goes backward twice as much
# offered: no
# because: more than the sum goes backward
# about: {"total": "total"}
# fails: loss_i = F.mse_loss(net(x), y)
# %%
import torch, torch.nn.functional as F
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
chunks = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(4)]
# %%
total, worst = 0.0, torch.zeros(())
for x, y in chunks:
    loss_i = F.mse_loss(net(x), y)
    worst = torch.maximum(worst, loss_i)
    total += loss_i
opt.zero_grad()
(total + worst).backward()
opt.step()
