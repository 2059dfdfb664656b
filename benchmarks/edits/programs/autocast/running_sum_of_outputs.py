# Outputs are summed for an average prediction
# offered: no
# because: an output of another type is added to a buffer
# about: {}
# fails: out = model(x)
# %%
import torch
from torch import nn
torch.manual_seed(0)
model, loss_fn = nn.Linear(4, 2), nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
avg = torch.zeros(5, 2)
# %%
for x, y in [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(3)]:
    out = model(x)
    loss = loss_fn(out, y)
    avg += out.detach()
    opt.zero_grad(); loss.backward(); opt.step()
