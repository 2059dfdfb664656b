# The same classifier without Fabric, whose evaluation batch is the training's
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: Lightning-AI/pytorch-lightning@7f0c3436cd3f6ad3753125672024fc415cbcb414 examples/fabric/image_classifier/train_torch.py
# files: examples/fabric/image_classifier
# fails: %run train_torch.py --batch-size 5000 --epochs 1 --dry-run
# cure: --batch-size 5000 => --batch-size 500

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=5500)

# %%
%run train_torch.py --batch-size 5000 --epochs 1 --dry-run
