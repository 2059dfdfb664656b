# timm's training script with 256 images, workers and pinned memory
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, smaller-image, autocast, accumulate
# gpu: 2GiB
# needs: libraries
# from: huggingface/pytorch-image-models@aa4b5850c1543fa488abf260f18390eda46cf85d train.py
# files: .
# fails: %run train.py --data-dir images --model resnet18 --img-size 128 -b 256 -j 2 --pin-mem --epochs 1 --opt sgd --warmup-epochs 0
# cure: -b 256 => -b 32

# %%
import numpy as np
import timm.data
from standins import Items

image = np.zeros((3, 128, 128), dtype=np.uint8)
images = Items(lambda: (image, 0), length=260)
timm.data.create_dataset = images

# %%
%run train.py --data-dir images --model resnet18 --img-size 128 -b 256 -j 2 --pin-mem --epochs 1 --opt sgd --warmup-epochs 0
