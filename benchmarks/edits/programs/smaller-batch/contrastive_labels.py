# Labels of a contrastive loss are as many as a batch, written out
# offered: no
# because: the number of the labels is another number
# about: {"value": 6}
# fails: logits = z1 @ z2.T / 0.1
# %%
import torch, torch.nn as nn
from torch.utils.data import DataLoader
enc = nn.Linear(8, 4)
opt = torch.optim.Adam(enc.parameters())
pairs = torch.randn(24, 8)
loader = DataLoader(pairs, batch_size=6, shuffle=True, drop_last=True)
labels = torch.arange(6)
# %%
for x in loader:
    z1 = nn.functional.normalize(enc(x + 0.1 * torch.randn_like(x)), dim=1)
    z2 = nn.functional.normalize(enc(x + 0.1 * torch.randn_like(x)), dim=1)
    logits = z1 @ z2.T / 0.1
    loss = nn.functional.cross_entropy(logits, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
