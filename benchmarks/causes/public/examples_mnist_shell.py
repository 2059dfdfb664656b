# PyTorch's example of MNIST started by the shell with a batch of 6000
#
# cause: elsewhere
# edit: yes
# remedy: smaller-batch, autocast
# gpu: 1280MiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 mnist/main.py
# files: mnist
# fails: !{sys.executable} main.py --batch-size 6000 --epochs 1 --dry-run
# cure: --batch-size 6000 => --batch-size 100

# %%
from standins import give_processes

give_processes("1280MiB", """
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=6600)
""")

# %%
import sys

!{sys.executable} main.py --batch-size 6000 --epochs 1 --dry-run
