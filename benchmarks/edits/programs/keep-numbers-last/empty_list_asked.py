# Whether it has three decides
# offered: no
# because: an index further back than is kept fails otherwise
# about: {"name": "outs"}
# fails: outs.append(x + 1)
# %%
import torch
outs = []
steps = 0
for x in torch.arange(6.0):
    outs.append(x + 1)
    k = 4
    try:
        back = outs[-k].item()
        steps += 1
    except IndexError:
        back = outs[-1].item()
