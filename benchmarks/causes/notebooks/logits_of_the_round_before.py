# The logits of the round before are still there, but the batch alone is too large
#
# cause: activations
# also: loop-leftovers
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 6GiB
# fails: loss.backward()
# run: 1 2 3!
# cure: batch_size = 64 => batch_size = 8
# source: https://github.com/karpathy/nanoGPT/issues

# %%
import torch
import torch.nn.functional as F
from torch import nn

vocabulary, block = 32_000, 256
model = nn.Sequential(nn.Embedding(vocabulary, 256), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, vocabulary)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch_size = 64

# %%
def batch(count):
    return torch.zeros(count, block, dtype=torch.long, device="cuda")


logits = model(batch(2))

# %%
for step in range(3):
    tokens = batch(batch_size)
    logits = model(tokens)
    loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
