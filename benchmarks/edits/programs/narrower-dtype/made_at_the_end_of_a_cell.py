# The cell that makes the model ends there, and shows nothing
# offered: yes
# about: {"way": "half", "model": "model"}
# fails: scores = model(words)
# %%
import torch
from torch import nn

torch.manual_seed(6)
# %%
model = nn.Sequential(nn.Embedding(9, 8), nn.LayerNorm(8), nn.Linear(8, 2))
# %%
model.eval();
words = torch.randint(0, 9, (8,))
# %%
with torch.no_grad():
    scores = model(words)
print(len(Out))
