# A model that predicts from numbers in single precision
# offered: no
# because: its inputs would not be in half precision, and the product fails
# about: {"way": "half", "model": "scorer"}
# fails: s = scorer(x)
# %%
import torch

torch.manual_seed(8)
# %%
scorer = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).eval()
x = torch.randn(10, 4)
# %%
with torch.no_grad():
    s = scorer(x)
print(s.shape)
