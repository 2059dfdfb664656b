# PyTorch-GAN's WGAN with penalty and a batch of 40,000
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/wgan_gp/wgan_gp.py
# files: implementations
# fails: %run wgan_gp.py --n_epochs 1 --batch_size 40000
# cure: --batch_size 40000 => --batch_size 5000

# %%
%cd wgan_gp

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=44000)

# %%
%run wgan_gp.py --n_epochs 1 --batch_size 40000
