# PyTorch's DCGAN pasted into a cell, its options in sys.argv
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1843MiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 dcgan/main.py
# fails: 1:158
# cure: "--batchSize", "800" => "--batchSize", "128"

# %%
import torchvision
from standins import Images

torchvision.datasets.FakeData = Images(3, 64, 64, length=1700)

# %%
import sys

sys.argv = ["main.py", "--dataset", "fake", "--accel", "--batchSize", "800", "--workers", "1", "--niter", "1", "--dry-run"]

# %% theirs 1
