# Another name stands for the list
# offered: no
# because: log is the list
# about: {"name": "outs"}
# fails: outs.append(x.square())
# %%
import torch
outs = log = []
for x in torch.arange(4.0):
    outs.append(x.square())
    last = outs[-1]
total = sum(log).item()
