# Generators that stand still between two rounds hold their batches on the GPU
#
# cause: kept-tensors
# edit: no
# remedy: none
# gpu: 2GiB
# fails: next(stream)
# source: https://docs.python.org/3/reference/expressions.html#generator-iterators

# %%
import torch


def windows(size):
    """Hands out one window after the other of a signal that lies on the card."""
    signal = torch.randn(size, device="cuda")
    for start in range(0, size, 1024):
        yield signal[start : start + 1024].mean().item()

# %%
streams = []
for speaker in range(40):
    stream = windows(2**24)
    streams.append(stream)
    next(stream)
