# A rate by what a counter outside says
# offered: no
# because: the schedule reads how often the model was called
# about: {"batch": "bs", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
bs = 12
X, Y = torch.randn(48, 3), torch.randn(48, 1)
dl = DataLoader(TensorDataset(X, Y), batch_size=bs, shuffle=True)
class Counting(nn.Linear):
    calls = 0
    def __call__(self, *a):
        Counting.calls += 1
        return super().__call__(*a)
model = Counting(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0 / (1 + Counting.calls))
# %%
for epoch in range(3):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
