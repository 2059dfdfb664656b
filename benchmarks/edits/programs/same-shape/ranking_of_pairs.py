# A ranking loss: every score against every other
# offered: no
# because: the table of all pairs is used as one
# about: {"column": "s", "row": "r", "result": "loss", "expected": "loss"}
# fails: margins = (s - r).clamp(min=-1)
# %%
import torch

torch.manual_seed(9)
scores = torch.randn(7)
s, r = scores.unsqueeze(1), scores
# %%
margins = (s - r).clamp(min=-1)
loss = margins.triu(diagonal=1).sum()
print(margins.shape, loss.item())
