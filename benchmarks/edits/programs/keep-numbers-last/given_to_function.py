# The list goes to a function
# offered: no
# because: a function reads it under another name
# about: {"name": "outs"}
# fails: outs.append(x.square())
# %%
import torch

def summary(values):
    return sum(values).item()

outs = []
for x in torch.arange(4.0):
    outs.append(x.square())
    print(outs[-1].item())
result = summary(outs)
