# One large call of nn.LSTM over a whole day of measurements
#
# cause: activations
# what: input-length
# edit: yes
# remedy: shorter-input, smaller-batch, autocast
# gpu: 4GiB
# fails: out, state = lstm(series)
# cure: length = 8640 => length = 720
# source: https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html

# %%
import torch
from torch import nn

length = 8640
lstm = nn.LSTM(16, 256, num_layers=2, batch_first=True).cuda()
head = nn.Linear(256, 1).cuda()
optimizer = torch.optim.Adam([*lstm.parameters(), *head.parameters()])

# %%
for day in range(3):
    series = torch.randn(64, length, 16, device="cuda")
    out, state = lstm(series)
    loss = head(out[:, -1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
