# The column is changed in place
# offered: no
# because: it is an assignment to the column
# about: {"column": "a", "row": "b", "result": "d", "expected": "d"}
# fails: d = a.sub(b)
# %%
import torch

torch.manual_seed(10)
a, b = torch.randn(5, 1), torch.randn(5)
# %%
d = a.sub(b)
print(d.shape)
