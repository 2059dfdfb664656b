# PyTorch-GAN's DCGAN on images of 256 pixels
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, smaller-batch, autocast
# gpu: 2GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/dcgan/dcgan.py
# files: implementations
# fails: %run dcgan.py --n_epochs 1 --img_size 256
# cure: --img_size 256 => --img_size 64

# %%
%cd dcgan

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images

torchvision.datasets.MNIST = Images(1, 256, 256, length=140)

# %%
%run dcgan.py --n_epochs 1 --img_size 256
