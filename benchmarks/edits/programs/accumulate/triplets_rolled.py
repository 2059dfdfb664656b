# Negatives are the neighbours in the batch
# offered: no
# because: each sample looks at its neighbour in the batch
# about: {"batch": "batch_size", "value": 6}
# fails: z = model(x)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
dl = DataLoader(TensorDataset(torch.randn(48, 3), torch.randn(48, 2)), batch_size=12, drop_last=True)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for epoch in range(2):
    for x, y in dl:
        z = model(x)
        neg = z.roll(1, 0)
        loss = ((z - y).abs() + torch.sigmoid((z - neg).pow(2).sum(1, keepdim=True))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
