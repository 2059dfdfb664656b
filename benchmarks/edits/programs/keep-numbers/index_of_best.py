# The best loss is looked up in the list by itself
# offered: no
# because: the list holds other tensors than the variable then
# about: {"name": "losses"}
# fails: loss = net(x).square().mean()
# %%
import torch
torch.manual_seed(8)
net = torch.nn.Linear(3, 2)
losses, best = [], None
for x in torch.randn(4, 5, 3):
    loss = net(x).square().mean()
    losses.append(loss)
    if best is None or loss < best:
        best = loss
# %%
place = next(n for n, each in enumerate(losses) if each is best)
print(place)
