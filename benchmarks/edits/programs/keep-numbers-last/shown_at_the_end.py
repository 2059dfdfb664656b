# The cell ends in the list
# offered: no
# because: it is displayed whole
# about: {"name": "outs"}
# fails: outs.append(x.square())
# %%
import torch
outs = []
for x in torch.arange(4.0):
    outs.append(x.square())
    print(outs[-1].item())
outs
