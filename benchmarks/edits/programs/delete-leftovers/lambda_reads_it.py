# A lambda in a list reads it later
# offered: no
# because: the lambda is called behind the loop
# about: {"names": ["scale"], "where": "loop"}
# fails: scale = x.norm()
# %%
import torch
makers = []
for x in torch.ones(3, 4):
    scale = x.norm()
    makers.append(lambda: scale.item())
values = [make() for make in makers]
