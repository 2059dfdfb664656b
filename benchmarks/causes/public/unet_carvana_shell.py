# milesial's U-Net started by the shell with a batch of 16
#
# cause: elsewhere
# edit: yes
# remedy: smaller-batch, smaller-image, autocast, checkpointing
# gpu: 3GiB
# needs: libraries
# from: milesial/Pytorch-UNet@21d7850f2af30a9695bbeea75f3136aa538cfc4a train.py
# files: .
# fails: !{sys.executable} train.py --batch-size 16 --epochs 1 --scale 0.25
# cure: --batch-size 16 => --batch-size 1

# %%
from standins import give_processes

give_processes("3GiB", """
import torch
from standins import Items, absent

absent("wandb")
import utils.data_loading

item = {"image": torch.zeros(3, 320, 480), "mask": torch.zeros(320, 480, dtype=torch.long)}
utils.data_loading.CarvanaDataset = Items(lambda: item, length=19)
""")

# %%
import sys

!{sys.executable} train.py --batch-size 16 --epochs 1 --scale 0.25
