# A model whose rows look at each other
# offered: no
# because: each row of the result depends on all rows
# about: {"way": "predicted", "model": "mixer", "rows": 5}
# fails: out = mixer(x)
# %%
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        h = self.lin(x)
        return (h @ h.T).softmax(1) @ h


torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
mixer, x = Mixer().eval(), torch.randn(20, 4)
# %%
with torch.no_grad():
    out = mixer(x)
print(out.sum().item())
