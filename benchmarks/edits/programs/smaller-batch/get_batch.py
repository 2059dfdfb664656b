# Random blocks of a text by a function; the number is a name of the notebook
# offered: yes
# about: {"value": 12, "line": "batch_size = 12  # how many sequences at once"}
# fails: logits, loss = net(xb, yb)
# %%
import torch
import torch.nn as nn
from torch.nn import functional as F
# hyperparameters
batch_size = 12  # how many sequences at once
block_size = 8
max_iters = 5
eval_interval = 2
torch.manual_seed(1337)
# %%
data = torch.randint(0, 11, (500,))
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]

def get_batch(split):
    data = train_data if split == 'train' else val_data
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i:i+block_size] for i in ix])
    y = torch.stack([data[i+1:i+block_size+1] for i in ix])
    return x, y
# %%
class Bigram(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.table = nn.Embedding(vocab, vocab)

    def forward(self, idx, targets=None):
        logits = self.table(idx)
        B, T, C = logits.shape
        loss = None if targets is None else F.cross_entropy(logits.view(B*T, C), targets.view(B*T))
        return logits, loss
# %%
net = Bigram(11)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
for it in range(max_iters):
    xb, yb = get_batch('train')
    logits, loss = net(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if it % eval_interval == 0:
        with torch.no_grad():
            vloss = net(*get_batch('val'))[1].item()
