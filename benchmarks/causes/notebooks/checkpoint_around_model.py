# A loop that calls checkpoint around the whole model
#
# cause: activations
# what: batch
# edit: yes
# remedy: checkpointing, smaller-batch, autocast, accumulate
# gpu: 6GiB
# fails: loss.backward()
# cure: checkpoint(model, inputs => torch.utils.checkpoint.checkpoint_sequential(model, 8, inputs
# source: https://discuss.pytorch.org/t/gradient-checkpointing-in-pytorch/12977

# %%
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


model = nn.Sequential(*[Block(512) for _ in range(16)]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

# %%
batch_size = 64
inputs = torch.randn(batch_size, 1024, 512, device="cuda")
target = torch.randn(batch_size, 1024, 512, device="cuda")

# %%
# checkpointing is supposed to save memory
for _ in range(3):
    optimizer.zero_grad()
    outputs = checkpoint(model, inputs, use_reentrant=False)
    loss = nn.functional.mse_loss(outputs, target)
    loss.backward()
    optimizer.step()
    print(loss.item())
