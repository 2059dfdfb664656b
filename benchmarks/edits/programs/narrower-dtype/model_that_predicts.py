# A model that is made, moved and only predicts
# offered: yes
# about: {"way": "half", "model": "model"}
# fails: probs = model(tokens).softmax(-1)
# %%
import torch
from torch import nn

torch.manual_seed(3)
# %%
model = nn.Sequential(nn.Embedding(16, 8), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)).eval()
tokens = torch.randint(0, 16, (5, 3))
# %%
with torch.no_grad():
    probs = model(tokens).softmax(-1)
print(probs.argmax(-1).shape)
