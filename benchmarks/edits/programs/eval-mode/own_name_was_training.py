# A person's own `was_training` stands in the same cell
# offered: yes
# about: {"model": "m"}
# fails: y = m(x)
# %%
import torch

torch.manual_seed(4)
m = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.0))
was_training = "yesterday"
# %%
ys = []
for x in torch.randn(6, 3).split(2):
    y = m(x)
    ys.append(len(y))
print(ys, was_training)
# %%
print(was_training, m.training)
