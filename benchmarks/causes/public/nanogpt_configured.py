# nanoGPT configured by a module beside the notebook
#
# cause: activations
# also: evaluation-with-gradients
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 6GiB
# from: karpathy/nanoGPT@3adf61e154c3fe3fca428ad6bc3818b27a3b8291 train.py
# files: .
# fails: %run train.py config/train_shakespeare_char.py --compile=False --eval_iters=1 --max_iters=2 --batch_size=128
# cure: --batch_size=128 => --batch_size=8

# %%
import os
import numpy

os.makedirs("data/shakespeare_char", exist_ok=True)
for name in ("train", "val"):
    numpy.zeros(200_000, dtype=numpy.uint16).tofile(f"data/shakespeare_char/{name}.bin")

# %%
%run train.py config/train_shakespeare_char.py --compile=False --eval_iters=1 --max_iters=2 --batch_size=128
