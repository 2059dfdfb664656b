# A filter that keeps all its states and reads the last
# offered: yes
# about: {"name": "self.states"}
# fails: self.states.append(self.mix * self.states[-1] + x)
# %%
import torch

class Smooth:
    def __init__(self, mix=0.8):
        self.mix = mix
        self.states = [torch.zeros(4)]

    def update(self, x):
        self.states.append(self.mix * self.states[-1] + x)
        return self.states[-1].norm().item()
# %%
smooth = Smooth()
norms = [smooth.update(x) for x in torch.ones(6, 4)]
print(norms[-1])
