# Udacity's DCGAN on street numbers with a batch of 8000
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2457MiB
# needs: libraries
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 dcgan-svhn/DCGAN_Solution.ipynb
# change: batch_size = 128 => batch_size = 8000
# change: num_epochs = 50 => num_epochs = 1
# fails: 15:51
# cure: batch_size = 8000 => batch_size = 500

# %%
import torchvision
from standins import Images

import numpy as np
torchvision.datasets.SVHN = Images(3, 32, 32, length=20_000)

# %% theirs 2 5 7-15
