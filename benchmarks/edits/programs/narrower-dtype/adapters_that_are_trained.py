# Low-rank adapters beside weights that stay as they are
# offered: no
# because: an optimizer trains parameters of the model
# about: {"way": "half", "model": "model"}
# fails: loss = model(x).square().mean()
# %%
import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, n=6, rank=2):
        super().__init__()
        self.base = nn.Linear(n, n).requires_grad_(False)
        self.down, self.up = nn.Linear(n, rank, bias=False), nn.Linear(rank, n, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


torch.manual_seed(6)
# %%
model = Adapted()
# %%
trained = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.Adam(trained, lr=0.01)
# %%
for x in torch.randn(6, 6).split(2):
    loss = model(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
