# Fabric's classifier of images: the batch on the command line
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: Lightning-AI/pytorch-lightning@7f0c3436cd3f6ad3753125672024fc415cbcb414 examples/fabric/image_classifier/train_fabric.py
# files: examples/fabric/image_classifier
# fails: %run train_fabric.py --batch-size 6000 --epochs 1 --dry-run
# cure: --batch-size 6000 => --batch-size 500

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=6600)

# %%
%run train_fabric.py --batch-size 6000 --epochs 1 --dry-run
