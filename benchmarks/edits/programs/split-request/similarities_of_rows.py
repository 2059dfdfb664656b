# The best match by a product, and its score
# offered: yes
# about: {"way": "compared", "rows": 4, "tables": ["queries", "keys"]}
# fails: best = (queries @ keys.T).amax(-1)
# %%
import torch
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
queries = F.normalize(torch.randn(15, 6), dim=-1)
keys = F.normalize(torch.randn(21, 6), dim=-1)
# %%
best = (queries @ keys.T).amax(-1)
# %%
print(best.mean().item(), best.shape)
