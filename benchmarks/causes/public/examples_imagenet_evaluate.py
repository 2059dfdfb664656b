# PyTorch's ImageNet script that only evaluates, with a batch of 2048
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, half-inference, autocast
# gpu: 3GiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 imagenet/main.py
# files: imagenet
# fails: %run main.py --dummy --evaluate --arch resnet50 -j 2 -b 2048
# cure: -b 2048 => -b 256

# %%
import torchvision
from standins import Images

torchvision.datasets.FakeData = Images(3, 96, 96, classes=1000, length=2100)

# %%
%run main.py --dummy --evaluate --arch resnet50 -j 2 -b 2048
