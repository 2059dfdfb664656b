# A cell runs code from text
# offered: no
# because: exec may read anything
# about: {"names": ["out"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
for x in torch.ones(3, 4, 2):
    out = model(x)
# %%
exec("shown = " + "o" + "ut.sum().item()")
