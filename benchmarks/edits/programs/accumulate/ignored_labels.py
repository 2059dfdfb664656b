# Some labels are ignored, so the mean is one over fewer
# offered: no
# because: each part would divide by another number of labels
# about: {"batch": "batch_size", "value": 4}
# fails: logits = tagger(tokens)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
PAD = 0
tokens_all = torch.randint(1, 9, (32, 5)); labels_all = torch.randint(0, 3, (32, 5))
for n in range(32):
    labels_all[n, 1 + n % 5:] = -100
loader = DataLoader(TensorDataset(tokens_all, labels_all), batch_size=16, drop_last=True)
tagger = nn.Sequential(nn.Embedding(9, 6), nn.Linear(6, 3))
opt = torch.optim.SGD(tagger.parameters(), lr=1e-1)
# %%
for tokens, labels in loader:
    opt.zero_grad()
    logits = tagger(tokens)
    loss = nn.functional.cross_entropy(logits.reshape(-1, 3), labels.reshape(-1))
    loss.backward()
    opt.step()
