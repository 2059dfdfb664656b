# Another tensor of double precision meets the one that would change
# offered: no
# because: the other operand stays in double precision, and a product does not mix
# about: {"way": "single", "names": ["A"]}
# fails: C = A @ B
# %%
import numpy as np
import torch

rng = np.random.default_rng(1)
tensors = {"B": torch.from_numpy(rng.normal(size=(4, 4)))}
# %%
A = torch.from_numpy(rng.normal(size=(4, 4)))
B = tensors["B"]
C = A @ B
print(C.shape)
