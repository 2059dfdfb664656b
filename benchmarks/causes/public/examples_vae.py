# PyTorch's variational autoencoder with 50000 images at once
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1280MiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 vae/main.py
# files: vae
# fails: %run main.py --batch-size 50000 --epochs 1
# cure: --batch-size 50000 => --batch-size 8000

# %%
import os

import torchvision
from standins import Images

os.makedirs("results")
torchvision.datasets.MNIST = Images(1, 28, 28, length=55000)

# %%
%run main.py --batch-size 50000 --epochs 1
