# PyTorch-GAN's CycleGAN with a batch of 6
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 7GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/cyclegan/cyclegan.py
# files: implementations
# fails: %run cyclegan.py --n_epochs 1 --decay_epoch 0 --batch_size 6 --n_cpu 2
# cure: --batch_size 6 => --batch_size 1

# %%
%cd cyclegan

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images, Items

import torch
import datasets

datasets.ImageDataset = Items(lambda: {"A": torch.zeros(3, 256, 256), "B": torch.zeros(3, 256, 256)}, length=20)

# %%
%run cyclegan.py --n_epochs 1 --decay_epoch 0 --batch_size 6 --n_cpu 2
