# Characters sampled from a small recurrent model after training
# offered: yes
# about: {}
# fails: logits, h = lm(token, h)
# %%
import torch
from torch import nn

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)


class CharModel(nn.Module):
    def __init__(self, vocab=12, hidden=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, 8)
        self.rnn = nn.GRU(8, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, h=None):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h


lm = CharModel()
text = torch.randint(0, 12, (4, 10))
opt = torch.optim.Adam(lm.parameters())
# %%
for step in range(3):
    logits, _ = lm(text[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()


# %%
def sample(n, start=0, temperature=0.8):
    token, h, out = torch.tensor([[start]]), None, []
    for _ in range(n):
        logits, h = lm(token, h)
        probs = (logits[:, -1] / temperature).softmax(-1)
        token = torch.multinomial(probs, 1)
        out.append(token.item())
    return out


# %%
print(sample(10))
