# PyTorch's variational autoencoder pasted below a cell that sets sys.argv
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1GiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 vae/main.py
# fails: 1:100
# cure: --batch-size 40000 => --batch-size 4000

# %%
import os

import torchvision
from standins import Images

os.makedirs("results")
torchvision.datasets.MNIST = Images(1, 28, 28, length=44000)

# %%
import sys

sys.argv = "main.py --batch-size 40000 --epochs 1".split()

# %% theirs 1
