# A transformer of one's own, with dropout, attention and a mask
# offered: yes
# about: {}
# fails: h = layer(h, mask)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Layer(nn.Module):
    def __init__(self, d=8, heads=2):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Linear(16, d), nn.Dropout(0.1))

    def forward(self, x, mask):
        h = self.ln1(x)
        a, _ = self.attn(h, h, h, attn_mask=mask, need_weights=False)
        x = x + a
        return x + self.mlp(self.ln2(x))

class GPT(nn.Module):
    def __init__(self, vocab=13, d=8, n=3):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList([Layer(d) for _ in range(n)])
        self.out = nn.Linear(d, vocab)

    def forward(self, ids):
        mask = torch.triu(torch.full((ids.shape[1], ids.shape[1]), float("-inf")), 1)
        h = self.tok(ids)
        for layer in self.layers:
            h = layer(h, mask)
        return self.out(h)
# %%
gpt = GPT()
opt = torch.optim.AdamW(gpt.parameters(), lr=1e-2)
data = torch.randint(0, 13, (3, 2, 9))
# %%
def train(model, batches):
    model.train()
    for ids in batches:
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()
# %%
print(round(train(gpt, data), 4))
