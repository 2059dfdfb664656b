# Tokens to vectors, as a part of a longer line
# offered: yes
# about: {"way": "predicted", "model": "encode", "rows": 16}
# fails: vectors = encode(tokens).mean(dim=1)
# %%
import torch
from torch import nn

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
encode = nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8)).eval()
tokens = torch.randint(0, 30, (40, 6))
# %%
with torch.no_grad():
    vectors = encode(tokens).mean(dim=1)
print(vectors.shape, round(vectors.norm().item(), 6))
