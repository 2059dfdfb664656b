# A cache whose values are stacked for a model
# offered: no
# because: cache.values() is read whole
# about: {"name": "cache", "way": "cache"}
# fails: cache[k] = net(x)
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()
cache = {}
with torch.no_grad():
    for k, x in enumerate(torch.randn(3, 4, 2).cuda()):
        cache[k] = net(x)
# %%
out = net(torch.stack(list(cache.values())))
