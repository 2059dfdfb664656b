# checkpoint around a whole model whose forward goes through a list of blocks
#
# cause: activations
# what: batch
# edit: yes
# remedy: checkpointing, smaller-batch, autocast
# gpu: 6GiB
# fails: loss.backward()
# cure: out = checkpoint(net, x, use_reentrant=False) => out = net(x)
# cure: x = layer(x) => x = checkpoint(layer, x, use_reentrant=False)
# source: https://discuss.pytorch.org/t/checkpoint-does-not-reduce-memory-usage/155128

# %%
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inner = nn.Sequential(
            nn.LayerNorm(dim), nn.Linear(dim, 3 * dim), nn.GELU(), nn.Linear(3 * dim, dim)
        )

    def forward(self, x):
        return x + self.inner(x)


class Tower(nn.Module):
    def __init__(self, dim=768, depth=14):
        super().__init__()
        self.layers = nn.ModuleList(Residual(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 100)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


net = Tower().cuda()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)

# %%
for _ in range(2):
    x = torch.randn(48, 512, 768, device="cuda", requires_grad=True)
    y = torch.randint(0, 100, (48,), device="cuda")
    out = checkpoint(net, x, use_reentrant=False)
    loss = nn.functional.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
