# The state of a recurrent net is made once, with the same number written out
# offered: no
# because: the number stands in the shape of the state, too
# about: {"value": 4}
# fails: out, h = rnn(xb, h.detach())
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
rnn = nn.GRU(3, 6, batch_first=True)
head = nn.Linear(6, 1)
h = torch.zeros(1, 4, 6)
# %%
loader = DataLoader(TensorDataset(torch.randn(16, 5, 3), torch.randn(16, 1)), batch_size=4)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
# %%
seen = 0
for xb, yb in loader:
    out, h = rnn(xb, h.detach())
    loss = ((head(out[:, -1]) - yb) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    seen += len(xb)
