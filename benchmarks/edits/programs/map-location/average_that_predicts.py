# The average of the weights is evaluated after each epoch
# offered: no
# because: it predicts, beside inputs on the GPU
# about: {"way": "average", "name": "ema"}
# fails: loss = model(x).square().mean()
# %%
import copy
import torch

torch.manual_seed(14)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(3, 1)
ema = copy.deepcopy(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.ones(3, 2, 3):
    loss = model(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.lerp_(p, 0.1)
# %%
print(ema(torch.ones(1, 3)).item())
