# Udacity's transfer learning with VGG: a batch of 500
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 6GiB
# needs: libraries
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 transfer-learning/Transfer_Learning_Solution.ipynb
# change: batch_size = 20 => batch_size = 200
# fails: 12:20
# cure: batch_size = 200 => batch_size = 20

# %%
import os

import numpy as np
import torch
import torchvision
from standins import Images
from torchvision import datasets, models, transforms

vgg16 = models.vgg16
models.vgg16 = lambda pretrained=False: vgg16()
datasets.ImageFolder = Images(3, 224, 224, classes=5, length=600)

# %% theirs 2-5 7 9-11

# %% theirs 12
