# Losses are gathered in one cell, their sum goes backward in the next
# offered: no
# because: the next cell trains with them
# about: {}
# fails: losses.append(criterion(model(x), y))
# %%
import torch

torch.manual_seed(13)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(4, 1)
criterion = torch.nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
tasks = [(torch.randn(3, 4), torch.randn(3, 1)) for _ in range(4)]
# %%
losses = []
for x, y in tasks:
    losses.append(criterion(model(x), y))
# %%
opt.zero_grad()
sum(losses).backward()
opt.step()
print(model.weight.sum().item())
