# A decoder with teacher forcing at random
# offered: no
# because: the hidden state has the graph of all rounds
# about: {"total": "loss"}
# fails: logits, h = dec(inp, h)
# %%
import random, torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0); random.seed(0)
class Dec(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.c, self.o = nn.Embedding(6, 4), nn.GRUCell(4, 4), nn.Linear(4, 6)
    def forward(self, i, h):
        h = self.c(self.e(i), h)
        return self.o(h), h
dec = Dec()
opt = torch.optim.Adam(dec.parameters(), lr=0.01)
target = torch.randint(0, 6, (5, 2))
# %%
for epoch in range(2):
    loss, h, inp = 0, torch.zeros(2, 4), torch.zeros(2, dtype=torch.long)
    opt.zero_grad()
    for t in range(5):
        logits, h = dec(inp, h)
        loss += F.cross_entropy(logits, target[t])
        inp = target[t] if random.random() < 0.5 else logits.argmax(1)
    loss.backward()
    opt.step()
