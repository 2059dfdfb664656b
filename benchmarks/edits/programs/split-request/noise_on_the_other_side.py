# The other operand is drawn anew by a call
# offered: no
# because: each part would have its own draw
# about: {"way": "compared", "rows": 4, "tables": ["x"]}
# fails: d = torch.cdist(x, torch.randn(40, 3)).amin(dim=1)
# %%
import torch

torch.manual_seed(16)
torch.set_default_dtype(torch.float64)
x = torch.randn(12, 3)
# %%
d = torch.cdist(x, torch.randn(40, 3)).amin(dim=1)
print(d.sum().item())
