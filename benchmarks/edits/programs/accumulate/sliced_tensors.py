# Batches are cut out of two tensors, whose length is known
# offered: yes
# about: {"batch": "bs", "value": 5}
# fails: loss = F.mse_loss(model(X[i : i + bs]), Y[i : i + bs])
# %%
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
X = torch.randn(60, 7)
Y = torch.randn(60, 1)
# %%
model = nn.Sequential(nn.Linear(7, 9), nn.SiLU(), nn.Linear(9, 1))
opt = torch.optim.RMSprop(model.parameters(), lr=0.01)
# %%
bs = 20
for epoch in range(2):
    for i in range(0, len(X), bs):
        opt.zero_grad()
        loss = F.mse_loss(model(X[i : i + bs]), Y[i : i + bs])
        loss.backward()
        opt.step()
# %%
final = model(X).detach()
