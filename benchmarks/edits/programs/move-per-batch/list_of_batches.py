# A list of batches, moved in a comprehension
# offered: no
# because: it is a list
# about: {"data": ["batches"]}
# fails: out = net(b)
# %%
import torch
net = torch.nn.Linear(3, 1).cuda()
raw = torch.randn(12, 3).split(4)
batches = [b.cuda() for b in raw]
# %%
results = []
for b in batches:
    out = net(b)
    results.append(out.sum().item())
