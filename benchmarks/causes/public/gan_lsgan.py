# PyTorch-GAN's least squares GAN with a batch of 4000
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 3GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/lsgan/lsgan.py
# files: implementations
# fails: %run lsgan.py --n_epochs 1 --batch_size 4000
# cure: --batch_size 4000 => --batch_size 400

# %%
%cd lsgan

import sys
import torchvision

sys.path.insert(0, "..")
from standins import Images, Items

torchvision.datasets.MNIST = Images(1, 32, 32, length=4100)

# %%
%run lsgan.py --n_epochs 1 --batch_size 4000
