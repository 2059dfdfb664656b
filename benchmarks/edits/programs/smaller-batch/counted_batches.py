# The batches of an epoch are counted with the number written out once more
# offered: no
# because: half of the data would be left out without a word
# about: {"value": 8}
# fails: loss = nn.functional.mse_loss(lin(x), t)
# %%
import torch
from itertools import islice
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(64, 2), torch.randn(64, 1))
dl = DataLoader(ds, batch_size=8, shuffle=True)
n_batches = len(ds) // 8
# %%
lin = nn.Linear(2, 1)
o = torch.optim.SGD(lin.parameters(), lr=.01)
seen = 0
for epoch in range(2):
    for x, t in islice(dl, n_batches):
        loss = nn.functional.mse_loss(lin(x), t)
        o.zero_grad()
        loss.backward()
        o.step()
        seen += len(x)
