# A dict of tensors that a library's object is
# offered: no
# because: it is a dict
# about: {"data": ["enc"]}
# fails: out = table(enc['ids'][i])
# %%
import torch

class Encoding(dict):
    def to(self, device):
        return Encoding({k: v.to(device) for k, v in self.items()})

enc = Encoding(ids=torch.arange(6).view(3, 2))
enc = enc.to("cuda")
table = torch.nn.Embedding(6, 4).to("cuda")
# %%
for i in range(3):
    out = table(enc['ids'][i])
