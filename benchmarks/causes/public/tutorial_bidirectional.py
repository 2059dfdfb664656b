# yunjey's bidirectional network run as a script without options
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/02-intermediate/bidirectional_recurrent_neural_network/main.py
# files: tutorials/02-intermediate/bidirectional_recurrent_neural_network
# change: batch_size = 100 => batch_size = 20000
# fails: %run main.py
# cure: batch_size = 20000 => batch_size = 1000

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=22000)

# %%
%run main.py
