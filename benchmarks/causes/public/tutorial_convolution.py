# yunjey's convolutional network pasted into a cell; the batch is raised
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1280MiB
# needs: libraries
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/02-intermediate/convolutional_neural_network/main.py
# change: batch_size = 100 => batch_size = 6000
# change: num_epochs = 5 => num_epochs = 1
# fails: 1:52
# cure: batch_size = 6000 => batch_size = 500

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=6600)

# %% theirs 1
