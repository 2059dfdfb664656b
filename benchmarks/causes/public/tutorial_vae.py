# yunjey's variational autoencoder run as a script, whose batch is a line of it
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1280MiB
# needs: libraries
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/03-advanced/variational_autoencoder/main.py
# files: tutorials/03-advanced/variational_autoencoder
# change: batch_size = 128 => batch_size = 50000
# change: num_epochs = 15 => num_epochs = 1
# fails: %run main.py
# cure: batch_size = 50000 => batch_size = 4000

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=55000)

# %%
%run main.py
