# What was kept is gone through beside targets on the card
# offered: no
# because: p and t meet
# about: {"name": "preds"}
# fails: preds.append(model(x))
# %%
import torch
import torch.nn.functional as F
model = torch.nn.Linear(2, 2).cuda()
batches = [(torch.randn(4, 2).cuda(), torch.randint(0, 2, (4,)).cuda()) for _ in range(3)]
preds = []
for x, _ in batches:
    preds.append(model(x))
# %%
nll = [F.cross_entropy(p, t).item() for p, (_, t) in zip(preds, batches)]
