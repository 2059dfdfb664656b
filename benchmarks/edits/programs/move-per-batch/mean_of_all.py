# Statistics of the whole, computed on the card, are used with batches
# offered: no
# because: what is computed of the whole would stay on the host
# about: {"data": ["X"], "gpu": ["X"]}
# fails: out = net((X[i:i + 4] - mu) / sd)
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()
X = torch.randn(8, 2)
X = X.cuda()
mu, sd = X.mean(0), X.std(0)
for i in range(0, 8, 4):
    out = net((X[i:i + 4] - mu) / sd)
