# kuangliu's CIFAR-10 pasted into a cell
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 3GiB
# needs: libraries
# from: kuangliu/pytorch-cifar@49b7aa97b0c12fe0d4054e670403a16b6b834ddd main.py
# files: .
# change: batch_size=128 => batch_size=1024
# change: start_epoch+200 => start_epoch+1
# fails: 1:102
# cure: batch_size=1024 => batch_size=128

# %%
import torchvision
from standins import Images, absent

absent(utils={"progress_bar": lambda *_: None})
torchvision.datasets.CIFAR10 = Images(3, 32, 32, length=1126)

import sys
sys.argv = ["main.py"]

# %% theirs 1
