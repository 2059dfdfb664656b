# A model gives an object with logits
# offered: no
# because: its outputs are no tensors that could be joined
# about: {"way": "predicted", "model": "model", "rows": 4}
# fails: out = model(x)
# %%
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Output:
    logits: torch.Tensor
    hidden: torch.Tensor


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 6), nn.Linear(6, 2)

    def forward(self, x):
        h = self.a(x).relu()
        return Output(self.b(h), h)


torch.manual_seed(10)
model, x = Classifier().eval(), torch.randn(10, 3)
# %%
with torch.no_grad():
    out = model(x)
print(out.logits.shape, out.hidden.mean().item())
