# Accelerate's example of vision run as a script: its batch stands in a dictionary of it
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1228MiB
# needs: libraries
# from: huggingface/accelerate@16cb6eb80dd9aa8b4df1a63ef57863e455d53b83 examples/cv_example.py
# files: examples
# change: num_workers=4 => num_workers=1
# fails: %run cv_example.py --data_dir images
# cure: "batch_size": 64 => "batch_size": 8

# %%
import os

import PIL.Image
import timm

create = timm.create_model
timm.create_model = lambda *a, pretrained=False, **k: create(*a, **k)
os.makedirs("images")
for n in range(160):
    PIL.Image.new("RGB", (32, 32)).save(f"images/kind{n % 4}_{n}.jpg")

# %%
%run cv_example.py --data_dir images
