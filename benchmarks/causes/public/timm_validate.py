# timm's validation script: a batch of 512 without gradients, workers and pinned memory
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, half-inference, autocast, smaller-image
# gpu: 3GiB
# needs: libraries
# from: huggingface/pytorch-image-models@aa4b5850c1543fa488abf260f18390eda46cf85d validate.py
# files: .
# fails: %run validate.py images --model resnet50 -b 512 -j 2 --pin-mem
# cure: -b 512 => -b 64

# %%
import numpy as np
import timm
import timm.data
from standins import Items

image = np.zeros((3, 224, 224), dtype=np.uint8)
images = Items(lambda: (image, 0), length=520)
timm.data.create_dataset = images
create = timm.models.create_model
timm.models.create_model = lambda *a, pretrained=False, **keys: create(*a, **keys)

# %%
%run validate.py images --model resnet50 -b 512 -j 2 --pin-mem
