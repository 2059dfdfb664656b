# Batches that are not of that length are passed over
# offered: no
# because: all batches would be passed over, and nothing would be trained
# about: {"value": 10}
# fails: y_hat = model(x)
# %%
import torch
from torch.utils.data import DataLoader, TensorDataset
train_loader = DataLoader(TensorDataset(torch.randn(45, 3), torch.randn(45, 1)), batch_size=10)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
def loop(loader):
    seen = 0
    for x, y in loader:
        if x.size(0) != 10:
            continue  # the last one is too short for the statistics
        y_hat = model(x)
        loss = (y_hat - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += x.size(0)
    return seen
# %%
seen = loop(train_loader)
