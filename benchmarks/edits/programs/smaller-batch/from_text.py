# Settings are read by code from text
# offered: no
# because: code from text may need the number
# about: {"value": 8}
# fails: l = ((m(x) - 1) ** 2).sum()
# %%
import torch
batch_size = 8
exec("SCALE = 1 / batch_size")
# %%
m = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.01)
data = torch.randn(32, 2)
for x in data.split(batch_size):
    l = ((m(x) - 1) ** 2).sum()
    (l * SCALE).backward()
    opt.step(); opt.zero_grad()
