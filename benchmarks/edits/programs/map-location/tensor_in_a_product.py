# A loaded matrix is multiplied
# offered: no
# because: it is computed with, beside tensors of the GPU
# about: {"name": "proj"}
# fails: h = x @ proj
# %%
import io
import torch

torch.manual_seed(7)
f = io.BytesIO()
torch.save(torch.randn(3, 2), f)
# %%
f.seek(0)
proj = torch.load(f)
x = torch.ones(4, 3)
# %%
h = x @ proj
print(h.shape)
