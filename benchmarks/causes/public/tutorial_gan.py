# yunjey's first GAN: its batch is also the number that shapes its images
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1GiB
# needs: libraries
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/03-advanced/generative_adversarial_network/main.py
# change: batch_size = 100 => batch_size = 30000
# change: num_epochs = 200 => num_epochs = 1
# fails: 1:111
# cure: batch_size = 30000 => batch_size = 2000

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=30000)

# %% theirs 1
