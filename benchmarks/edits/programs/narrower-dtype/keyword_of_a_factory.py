# Grids made with `dtype=torch.float64`
# offered: yes
# about: {"way": "single", "names": ["grid", "field"]}
# fails: field = torch.sin(grid) + grid
# %%
import torch

grid = torch.linspace(0, 1, 50, dtype=torch.float64)
# %%
%%time
field = torch.sin(grid) + grid
# %%
print(f"{field.mean().item():.4f}")
