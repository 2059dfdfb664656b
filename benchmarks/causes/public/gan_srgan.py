# PyTorch-GAN's SRGAN on images of 512 pixels
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 6GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/srgan/srgan.py
# files: implementations
# fails: %run srgan.py --n_epochs 1 --batch_size 16 --n_cpu 1
# cure: --batch_size 16 => --batch_size 2

# %%
%cd srgan

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images, Items

import torch
import datasets

from torchvision.models.vgg import vgg19
torchvision.models.vgg19 = lambda pretrained=False, make=vgg19: make()
datasets.ImageDataset = Items(lambda: {"lr": torch.zeros(3, 64, 64), "hr": torch.zeros(3, 256, 256)}, length=20)

# %%
%run srgan.py --n_epochs 1 --batch_size 16 --n_cpu 1
