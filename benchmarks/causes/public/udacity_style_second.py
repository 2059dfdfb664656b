# Udacity's style transfer, whose failing cell is run a second time
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, autocast
# gpu: 3GiB
# run: 1 2 3 4 5 6 7 8 9! 9!
# needs: libraries
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 style-transfer/Style_Transfer_Solution.ipynb
# change: steps = 2000 => steps = 3
# fails: 13:11
# cure: size = 1100 => size = 300

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
size = 1100
content = torch.zeros(1, 3, size, size).to(device)
style = torch.zeros(1, 3, size, size).to(device)

# %% theirs 9-12

# %% theirs 13
