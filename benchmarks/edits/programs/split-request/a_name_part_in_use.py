# The person's own `part` stands in the same cell
# offered: yes
# about: {"way": "predicted", "model": "f", "rows": 3}
# fails: out = f(x)
# %%
import torch

torch.manual_seed(3)
f = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Sigmoid()).eval()
x, part = torch.randn(10, 2), "validation"
# %%
with torch.no_grad():
    out = f(x)
print(part, out.sum().item())
# %%
print(part)
