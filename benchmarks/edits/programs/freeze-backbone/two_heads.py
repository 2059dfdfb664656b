# Two heads share a body that is left as it was
# offered: yes
# about: {"name": "body", "trained": []}
# fails: h = body(x)
# %%
import torch
from torch import nn

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
# %%
body = nn.Sequential(nn.Linear(4, 9), nn.ReLU())
mean_head, var_head = nn.Linear(9, 1), nn.Linear(9, 1)
heads = nn.ModuleDict({"mean": mean_head, "var": var_head})
opt = torch.optim.Adam(heads.parameters(), lr=5e-3)
# %%
for step, (x, y) in enumerate(zip(torch.randn(12, 4).split(3), torch.randn(12, 1).split(3))):
    h = body(x)
    loss = nn.functional.gaussian_nll_loss(mean_head(h), y, var_head(h).exp())
    loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
