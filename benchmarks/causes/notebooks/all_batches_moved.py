# All batches of a loader are moved to the GPU first, into a list
#
# cause: data-on-gpu
# also: activations
# edit: yes
# remedy: move-per-batch
# gpu: 2GiB
# fails: loss = run(xb).logsumexp(1).mean()
# cure: batches = [(x.to(dev), y.to(dev)) for x, y in loader] => batches = loader
# cure: loss = run(xb).logsumexp(1).mean() => loss = run(xb.to(dev)).logsumexp(1).mean()
# source: https://discuss.pytorch.org/t/cuda-out-of-memory-after-more-than-8000-iterators/27253

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

dev = torch.device("cuda")


class Scans(Dataset):
    """Slices of 320 x 320, four channels."""

    def __len__(self):
        return 640

    def __getitem__(self, i):
        return torch.zeros(4, 320, 320), i % 2


loader = DataLoader(Scans(), batch_size=16)

# %%
# once, so that epochs are fast
batches = [(x.to(dev), y.to(dev)) for x, y in loader]

# %%
run = nn.Sequential(
    nn.Conv2d(4, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 2),
).to(dev)
optim = torch.optim.Adam(run.parameters())

for xb, yb in batches:
    loss = run(xb).logsumexp(1).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
