# Both go into a loss function
# offered: yes
# about: {"column": "preds", "row": "labels", "result": "loss", "expected": "meant"}
# fails: loss = F.mse_loss(preds, labels)
# %%
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
w = torch.randn(4, 1, requires_grad=True)
features, labels = torch.randn(9, 4), torch.randn(9)
# %%
preds = features @ w
loss = F.mse_loss(preds, labels)
loss.backward()
# %%
meant = F.mse_loss((features @ w).flatten(), labels)
print(w.grad.shape)
