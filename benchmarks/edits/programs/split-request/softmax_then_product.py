# Scores of all pairs, softmax, and a product with the same rows again, then a sum
# offered: no
# because: the rows are needed whole beside the part
# about: {"way": "compared", "rows": 5, "tables": ["h"]}
# fails: out = ((h @ h.T).softmax(1) @ h).sum(1)
# %%
import torch

torch.manual_seed(9)
torch.set_default_dtype(torch.float64)
h = torch.randn(20, 4)
# %%
out = ((h @ h.T).softmax(1) @ h).sum(1)
print(out.sum().item())
