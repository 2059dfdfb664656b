# The state of an LSTM is carried over batches
# offered: no
# because: a state goes from batch to batch
# about: {}
# fails: out, state = rnn(x, state)
# %%
import torch
from torch import nn
torch.manual_seed(0)
rnn, head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
state = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))
# %%
for x in torch.randn(4, 2, 5, 3):
    out, state = rnn(x, state)
    loss = head(out).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    state = tuple(s.detach() for s in state)
