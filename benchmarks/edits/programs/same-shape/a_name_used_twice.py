# The column stands in the statement twice
# offered: no
# because: which of the two is meant cannot be told
# about: {"column": "pred", "row": "y", "result": "loss", "expected": "loss"}
# fails: loss = (pred - y).abs().mean() + 0.1 * pred.abs().mean()
# %%
import torch

torch.manual_seed(7)
pred, y = torch.randn(6, 1), torch.randn(6)
# %%
loss = (pred - y).abs().mean() + 0.1 * pred.abs().mean()
print(loss.item())
