# The pair stands in the line twice
# offered: no
# because: both places would have to change
# about: {"column": "p", "row": "t", "result": "huber", "expected": "huber"}
# fails: huber = torch.where((p - t).abs() < 1, 0.5 * (p - t) ** 2, (p - t).abs() - 0.5).mean()
# %%
import torch

torch.manual_seed(12)
p, t = torch.randn(6, 1), torch.randn(6)
# %%
huber = torch.where((p - t).abs() < 1, 0.5 * (p - t) ** 2, (p - t).abs() - 0.5).mean()
print(huber.item())
