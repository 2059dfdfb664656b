# A second model predicts from what was kept
# offered: no
# because: head is on the card
# about: {"name": "feats"}
# fails: feats.append(body(x))
# %%
import torch
body, head = torch.nn.Linear(3, 4).cuda(), torch.nn.Linear(4, 2).cuda()
feats = []
with torch.no_grad():
    for x in torch.randn(3, 5, 3).cuda():
        feats.append(body(x))
# %%
with torch.no_grad():
    logits = [head(f) for f in feats]
    total = torch.stack(logits).sum().item()
