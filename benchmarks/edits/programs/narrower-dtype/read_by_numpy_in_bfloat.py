# The weights go to NumPy as single precision in the next cell
# offered: no
# because: another cell takes the model's own tensors
# about: {"way": "half", "model": "emb"}
# fails: v = emb(ids)
# %%
import numpy as np
import torch

torch.manual_seed(9)
# %%
emb = torch.nn.Embedding(10, 4).eval()
ids = torch.arange(10)
# %%
with torch.no_grad():
    v = emb(ids)
# %%
basis = np.linalg.qr(emb.weight.detach().numpy())[0]
print(basis.shape)
