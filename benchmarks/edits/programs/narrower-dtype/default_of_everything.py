# The default is set to double precision at the top
# offered: no
# because: what is drawn for the weights would be other numbers
# about: {"way": "single", "names": ["net", "data"]}
# fails: out = net(data)
# %%
import torch

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
# %%
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
data = torch.ones(6, 3)
# %%
out = net(data)
print(out.shape)
