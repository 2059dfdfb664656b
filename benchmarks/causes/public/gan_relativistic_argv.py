# PyTorch-GAN's relativistic GAN pasted below a cell that sets sys.argv
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: eriklindernoren/PyTorch-GAN@36d3c77e5ff20ebe0aeefd322326a134a279b93e implementations/relativistic_gan/relativistic_gan.py
# fails: 1:61
# cure: "--batch_size", "3000" => "--batch_size", "300"

# %%
import os

import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 32, 32, length=3100)
os.makedirs("implementations/relativistic_gan")
%cd implementations/relativistic_gan

# %%
import sys

sys.argv = ["relativistic_gan.py", "--batch_size", "3000", "--n_epochs", "1"]

# %% theirs 1
