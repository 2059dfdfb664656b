# A kernel of all pairs, made of a column on purpose
# offered: no
# because: the column was made of the row to have all pairs
# about: {"column": "column", "row": "x", "result": "K", "expected": "K"}
# fails: K = (-(column - x) ** 2).exp()
# %%
import torch

torch.manual_seed(6)
x = torch.randn(9)
column = x[:, None]
# %%
K = (-(column - x) ** 2).exp()
# %%
print(K.shape, torch.linalg.eigvalsh(K + 1e-3 * torch.eye(9)).min().item() > 0)
