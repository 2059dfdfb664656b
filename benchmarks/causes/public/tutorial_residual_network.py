# yunjey's residual network pasted into a cell, its batch raised
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/02-intermediate/deep_residual_network/main.py
# change: batch_size = 100 => batch_size = 2000
# change: num_epochs = 80 => num_epochs = 1
# fails: 1:72
# cure: batch_size = 2000 => batch_size = 250

# %%
import torchvision
from standins import Images

torchvision.datasets.CIFAR10 = Images(3, 32, 32, length=2200)

# %% theirs 1
