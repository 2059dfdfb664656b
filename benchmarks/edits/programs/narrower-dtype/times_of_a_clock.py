# Times in seconds since 1970, whose differences matter
# offered: no
# because: single precision has no seconds left there
# about: {"way": "single", "names": ["t"]}
# fails: gaps = t[1:] - t[:-1]
# %%
import torch

# %%
t = torch.tensor([1700000000.0, 1700000001.5, 1700000004.0], dtype=torch.float64)
# %%
gaps = t[1:] - t[:-1]
print(gaps.tolist())
