# The number that a person looks at
# offered: no
# because: a number holds nothing on the GPU, and is what the cell is for
# fails: (pred == target).float().mean().item()
# %%
import torch
pred, target = torch.tensor([1, 0, 1]), torch.tensor([1, 1, 1])
# %%
(pred == target).float().mean().item()
