# Both are given by name, in a timed cell
# offered: yes
# about: {"column": "score", "row": "truth", "result": "value", "expected": "meant"}
# fails: value = mse(input=score, target=truth)
# %%
import warnings

import torch

warnings.simplefilter("ignore")
torch.manual_seed(4)
mse = torch.nn.MSELoss()
net, truth = torch.nn.Linear(2, 1), torch.randn(7)
points = torch.randn(7, 2)
# %%
%%time
score = net(points)
value = mse(input=score, target=truth)
# %%
meant = mse(net(points).view(-1), truth)
print(value.dim())
