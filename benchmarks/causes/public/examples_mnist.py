# PyTorch's example of MNIST with 6000 images in a batch, on its command line
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 mnist/main.py
# files: mnist
# fails: %run main.py --batch-size 6000 --epochs 1 --dry-run
# cure: --batch-size 6000 => --batch-size 1000

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=6600)

# %%
%run main.py --batch-size 6000 --epochs 1 --dry-run
