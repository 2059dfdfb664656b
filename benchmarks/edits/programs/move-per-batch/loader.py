# A loader of a TensorDataset, with enumerate
# offered: yes
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: prediction = net(a)
# %%
import torch
from torch.utils.data import DataLoader, TensorDataset
g = torch.Generator().manual_seed(0)
X = torch.randn(40, 5, generator=g)
y = torch.randn(40, 1, generator=g)
# %%
net = torch.nn.Linear(5, 1).to("cuda")
sgd = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
X, y = X.to("cuda"), y.to("cuda")
ds = TensorDataset(X, y)
dl = DataLoader(ds, batch_size=8, shuffle=True, generator=g)
total = 0.0
for step, (a, b) in enumerate(dl):
    prediction = net(a)
    loss = (prediction - b).abs().mean()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    total += loss.item()
# %%
print(round(total, 4))
