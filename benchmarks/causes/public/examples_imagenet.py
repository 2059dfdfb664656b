# PyTorch's ImageNet training with dummy data and a batch of 256, the default
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 5GiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 imagenet/main.py
# files: imagenet
# fails: %run main.py --dummy --arch resnet18 --epochs 1 -j 2
# cure: %run main.py --dummy => %run main.py -b 64 --dummy

# %%
import torchvision
from standins import Images

torchvision.datasets.FakeData = Images(3, 224, 224, classes=1000, length=300)

# %%
%run main.py --dummy --arch resnet18 --epochs 1 -j 2
