# A cell gathers the losses, the next one goes backward through their sum
# offered: no
# because: sum(losses).backward() in the next cell
# about: {"name": "losses"}
# fails: losses.append(loss_fn(model(x), y))
# %%
import torch
model = torch.nn.Linear(2, 1)
loss_fn = torch.nn.L1Loss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
data = [(torch.randn(3, 2), torch.randn(3, 1)) for _ in range(4)]
# %%
losses = []
for x, y in data:
    losses.append(loss_fn(model(x), y))
# %%
optimizer.zero_grad()
sum(losses).backward()
optimizer.step()
