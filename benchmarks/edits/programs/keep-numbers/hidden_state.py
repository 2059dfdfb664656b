# A hidden state that goes through a loop and is trained through all its steps
# offered: no
# because: truncated backward steps have other gradients
# about: {"name": "h", "way": "state"}
# fails: out, h = rnn(x, h)
# %%
import torch
torch.manual_seed(5)
rnn = torch.nn.GRU(2, 3, batch_first=True)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
series = torch.randn(4, 2, 5, 2)
# %%
h, total = None, 0
for x in series:
    out, h = rnn(x, h)
    total = total + out.pow(2).mean()
opt.zero_grad()
total.backward()
opt.step()
