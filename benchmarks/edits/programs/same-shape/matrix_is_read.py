# The table is indexed by two places in the next cell
# offered: no
# because: a later cell needs the table
# about: {"column": "left", "row": "right", "result": "table", "expected": "table"}
# fails: table = left - right
# %%
import torch

torch.manual_seed(11)
left, right = torch.randn(4, 1), torch.randn(4)
# %%
table = left - right
# %%
print(table[1, 2].item(), table.shape)
