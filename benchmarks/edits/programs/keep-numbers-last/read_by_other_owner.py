# Another cell reads the attribute through the object
# offered: no
# because: smooth.states is read whole
# about: {"name": "self.states"}
# fails: self.states.append(self.states[-1] + x)
# %%
import torch

class Sum:
    def __init__(self):
        self.states = [torch.zeros(2)]

    def add(self, x):
        self.states.append(self.states[-1] + x)
# %%
smooth = Sum()
for x in torch.ones(4, 2):
    smooth.add(x)
# %%
all_states = torch.stack(smooth.states)
