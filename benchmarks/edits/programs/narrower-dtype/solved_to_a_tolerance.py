# An iteration that ends below a tolerance that single precision does not reach
# offered: no
# because: it would not end as it does
# about: {"way": "single", "names": ["x"]}
# fails: r = b - A @ x
# %%
import torch

torch.manual_seed(4)
A = torch.eye(5, dtype=torch.float64) * 4 + 0.1
b = torch.ones(5, dtype=torch.float64)
# %%
x = torch.zeros(5, dtype=torch.float64)
steps = 0
while steps < 200:
    r = b - A @ x
    if r.norm() < 1e-12:
        break
    x = x + 0.2 * r
    steps += 1
# %%
print(steps, steps < 200)
