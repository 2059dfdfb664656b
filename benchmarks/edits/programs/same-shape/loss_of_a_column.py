# Predictions of (n, 1) against targets of (n,)
# offered: yes
# about: {"column": "pred", "row": "y", "result": "loss", "expected": "meant"}
# fails: loss = ((pred - y) ** 2).mean()
# %%
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(3, 1)
X, y = torch.randn(10, 3), torch.randn(10)
# %%
pred = model(X)
loss = ((pred - y) ** 2).mean()
# %%
meant = ((model(X)[:, 0] - y) ** 2).mean()
print(loss.shape)
