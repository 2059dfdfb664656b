# Made in a function, which returns what it trained
# offered: yes
# about: {}
# fails: optimizer.step()
# %%
import torch
from torch import nn
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(20, 4), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))

# %%
def train(model, lr=1e-2):
    optimizer = torch.optim.RMSprop(
        model.parameters(),
        lr=lr,
    )
    losses = []
    for i in range(0, 20, 5):
        optimizer.zero_grad(set_to_none=True)
        loss = (model(X[i:i + 5]) - y[i:i + 5]).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
# %%
%time losses = train(net)
