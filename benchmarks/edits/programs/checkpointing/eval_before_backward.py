# Evaluation, in its mode, stands between the forward pass and its backward pass
# offered: no
# because: the mode is another one when it is computed again
# about: {"model": "model"}
# fails: loss = F.mse_loss(model(x), y)
# %%
import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 16), nn.Dropout(0.5), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
val = torch.randn(8, 4)
# %%
for step in range(3):
    x, y = torch.randn(6, 4), torch.randn(6, 1)
    model.train()
    loss = F.mse_loss(model(x), y)
    if step % 1 == 0:
        model.eval()
        shown = model(val).mean().item()
    opt.zero_grad()
    loss.backward()
    opt.step()
