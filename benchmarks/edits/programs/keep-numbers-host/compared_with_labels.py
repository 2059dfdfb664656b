# What was kept is compared with labels on the card
# offered: no
# because: labels are on the card
# about: {"name": "preds"}
# fails: preds.append(model(x).argmax(1))
# %%
import torch
model = torch.nn.Linear(3, 2).cuda()
labels = torch.randint(0, 2, (12,)).cuda()
preds = []
for x in torch.randn(3, 4, 3).cuda():
    preds.append(model(x).argmax(1))
# %%
acc = (torch.cat(preds) == labels).float().mean().item()
