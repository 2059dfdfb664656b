# A model with a queue of as many entries as a batch has
# offered: no
# because: the number is also that of a buffer of the model
# about: {"value": 8}
# fails: loss, _ = moco(views)
# %%
import torch
from torch import nn
batch_size = 8

class Moco(nn.Module):
    def __init__(self, dim=5, size=batch_size):
        super().__init__()
        self.f = nn.Linear(dim, dim)
        self.register_buffer("queue", torch.randn(size, dim))

    def forward(self, x):
        q = self.f(x)
        loss = (q @ self.queue.T).logsumexp(1).mean()
        self.queue = q.detach()
        return loss, q
# %%
torch.manual_seed(0)
moco = Moco()
opt = torch.optim.SGD(moco.parameters(), lr=0.03)
loader = torch.utils.data.DataLoader(torch.randn(32, 5), batch_size=batch_size)
# %%
for views in loader:
    loss, _ = moco(views)
    opt.zero_grad()
    loss.backward()
    opt.step()
