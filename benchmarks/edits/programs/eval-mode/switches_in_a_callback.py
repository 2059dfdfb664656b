# The cell before switches the dropout layers alone by `apply`
# offered: no
# because: code switches parts of the model
# about: {"model": "net"}
# fails: probs = net(x).softmax(-1)
# %%
import torch
from torch import nn

torch.manual_seed(16)
net = nn.Sequential(nn.Linear(3, 5), nn.Dropout(0.3), nn.Linear(5, 2))


def dropout_off(m):
    if isinstance(m, nn.Dropout):
        m.eval()


net.apply(dropout_off)
data = torch.randn(6, 3).split(3)
# %%
for x in data:
    probs = net(x).softmax(-1)
# %%
left = [m.training for m in net.modules()]
print(left)
