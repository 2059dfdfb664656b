# timm's training script, whose main is called from a cell that sets sys.argv
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, smaller-image, autocast, checkpointing
# gpu: 1843MiB
# needs: libraries
# from: huggingface/pytorch-image-models@aa4b5850c1543fa488abf260f18390eda46cf85d train.py
# files: .
# fails: train.main()
# cure: "-b", "128" => "-b", "16"

# %%
import numpy as np
import timm.data
from standins import Items

image = np.zeros((3, 160, 160), dtype=np.uint8)
images = Items(lambda: (image, 0), length=130)
timm.data.create_dataset = images

# %%
import sys

import train

sys.argv = ["train.py", "--data-dir", "images", "--model", "resnet34", "--img-size", "160", "-b", "128", "-j", "1", "--epochs", "1"]

# %%
train.main()
