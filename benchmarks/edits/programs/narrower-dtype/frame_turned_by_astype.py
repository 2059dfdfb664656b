# A table is turned by `astype`, then made a tensor
# offered: yes
# about: {"way": "single", "names": ["x"]}
# fails: cov = x.T @ x / len(x)
# %%
import numpy as np
import torch

values = np.arange(24).reshape(8, 3)
# %%
if values.size:
	x = torch.tensor(values.astype("float64"))
# %%
cov = x.T @ x / len(x)
print(round(cov.trace().item()))
