# A small language model, whose loss is computed from reshaped logits
# offered: yes
# about: {}
# fails: logits = lm(ids)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
lm = nn.Sequential(nn.Embedding(11, 8), nn.LayerNorm(8), nn.Linear(8, 11))
optim = torch.optim.AdamW(lm.parameters(), lr=3e-2, weight_decay=0.1)
text = torch.randint(0, 11, (6, 4, 9))
# %%
lm.train()
for block in text:
    ids, targets = block[:, :-1], block[:, 1:]
    logits = lm(ids)
    loss = F.cross_entropy(logits.reshape(-1, 11), targets.reshape(-1))
    optim.zero_grad()
    loss.backward()
    optim.step()
# %%
sample = lm(text[0]).argmax(-1)
