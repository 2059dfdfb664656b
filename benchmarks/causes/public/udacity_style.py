# Udacity's style transfer on an image of 1600 pixels
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, autocast
# gpu: 2457MiB
# needs: libraries
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 style-transfer/Style_Transfer_Solution.ipynb
# fails: 11:3
# cure: size = 1600 => size = 400

# %%
import numpy as np
import torch
import torch.optim as optim
import torchvision
from torchvision import models, transforms

from torchvision.models.vgg import vgg19
models.vgg19 = lambda pretrained=False, make=vgg19: make()

# %% theirs 2 3

# %%
size = 1600
content = torch.zeros(1, 3, size, size).to(device)
style = torch.zeros(1, 3, size, size).to(device)

# %% theirs 9 10

# %% theirs 11
