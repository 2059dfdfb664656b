# Hugging Face's annotated diffusion model: 4096 images are sampled at once without gradients
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, half-inference, autocast
# gpu: 2GiB
# needs: libraries
# from: huggingface/notebooks@5068b1142e8ed1e691c8b1e9f98e4473ebe55790 examples/annotated_diffusion.ipynb
# change: batch_size=64, channels => batch_size=4096, channels
# change: timesteps = 200 => timesteps = 3
# fails: 27:2
# cure: batch_size=4096, channels => batch_size=64, channels

# %%
import math
import sys
from functools import partial
from inspect import isfunction
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import einsum, nn
from torch.utils.data import DataLoader
from tqdm.auto import tqdm

from standins import Items


def rearrange(x, pattern, /, h=None, **axes):
    """The patterns of the notebook, without the library."""
    if pattern == "b c -> b c 1 1":
        return x[:, :, None, None]
    if "x=" in pattern or axes:
        height = axes["x"]
        x = x.transpose(2, 3) if pattern.startswith("b h (x y) d") else x
        return x.reshape(x.shape[0], -1, height, axes["y"])
    b, c, height, width = x.shape
    return x.reshape(b, h, c // h, height * width)


dataset = Items(lambda: {"pixel_values": torch.zeros(1, 28, 28)}, length=64)
image_size, channels, batch_size = 28, 1, 64
dataloader = DataLoader(dataset, batch_size=batch_size, shuffle=True)

# %% theirs 2-9 14 19 23-27
