# PyTorch-GAN's pix2pix with a batch of 32 and loaders with workers
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 4GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/pix2pix/pix2pix.py
# files: implementations
# fails: %run pix2pix.py --n_epochs 1 --batch_size 32 --n_cpu 2
# cure: --batch_size 32 => --batch_size 4

# %%
%cd pix2pix

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images, Items

import torch
import datasets

datasets.ImageDataset = Items(lambda: {"A": torch.zeros(3, 256, 256), "B": torch.zeros(3, 256, 256)}, length=70)

# %%
%run pix2pix.py --n_epochs 1 --batch_size 32 --n_cpu 2
