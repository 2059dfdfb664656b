# A function named like an evaluation returns the sum that its caller trains with
# offered: no
# because: score(...) goes backward in another cell
# about: {"name": "parts"}
# fails: parts.append(scorer(x).mean())
# %%
import torch
scorer = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(scorer.parameters(), lr=0.1)

def score(batch):
    parts = []
    for x in batch:
        parts.append(scorer(x).mean())
    return sum(parts) / len(parts)
# %%
for batch in torch.randn(3, 2, 5, 4):
    margin = 1 - score(batch)
    opt.zero_grad()
    margin.backward()
    opt.step()
