# A least-squares problem that needs the digits
# offered: no
# because: it goes through linear algebra
# about: {"way": "single", "names": ["V", "c"]}
# fails: c = torch.linalg.solve(V.T @ V, V.T @ y)
# %%
import torch

x = torch.linspace(0, 1, 30, dtype=torch.float64)
# %%
V = torch.stack([x**k for k in range(9)], 1).to(torch.float64)
y = torch.sin(3 * x)
c = torch.linalg.solve(V.T @ V, V.T @ y)
# %%
print(f"{(V @ c - y).abs().max().item() < 1e-6}")
good = bool((V @ c - y).abs().max() < 1e-6)
