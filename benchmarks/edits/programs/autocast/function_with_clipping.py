# A function for a step, which clips and returns a number
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: logits = model(inputs)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(12, 8), nn.LayerNorm(8), nn.Linear(8, 12))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
text = torch.randint(0, 12, (4, 3, 7))
# %%
def fit(batches, epochs=1):
    last = None
    for _ in range(epochs):
        for ids in batches:
            inputs, targets = ids[:, :-1], ids[:, 1:]
            logits = model(inputs)
            loss = F.cross_entropy(logits.reshape(-1, 12), targets.reshape(-1))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            last = loss.item()
    return last
# %%
%time last = fit(text)
