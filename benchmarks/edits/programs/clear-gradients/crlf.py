# Windows line ends, a loop with tqdm, two losses added
# offered: yes
# about: {}
# fails: a, b = model(xb)
# %%
import torch
from torch import nn
from tqdm import tqdm
torch.manual_seed(0)
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 1), nn.Linear(3, 2)
    def forward(self, x):
        return self.a(x), self.b(x)
model = Two()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
batches = torch.randn(4, 5, 3)
# %%
for xb in tqdm(batches, disable=True):
    a, b = model(xb)
    loss = a.pow(2).mean() + b.abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
