# Results are kept in a list that a walrus names inside a condition
#
# cause: kept-tensors
# also: activations
# edit: yes
# remedy: keep-numbers, no-grad
# gpu: 2GiB
# fails: scores = encoder(batch)
# cure: (kept := []).append(first) => (kept := []).append(first.mean().item())\n
# cure: kept.append(scores) => kept.append(scores.mean().item())
# source: https://peps.python.org/pep-0572/

# %%
import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096)).cuda()


def batches(count):
    for _ in range(count):
        yield torch.randn(4096, 1024, device="cuda")

# %%
with torch.no_grad():
    if (first := encoder(next(batches(1)))) is not None:
        (kept := []).append(first)
    for batch in batches(100):
        scores = encoder(batch)
        kept.append(scores)
