# nanoGPT run with a batch of 12 as in its defaults, on a GPU that is no A100
#
# cause: activations
# also: evaluation-with-gradients
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 8GiB
# from: karpathy/nanoGPT@3adf61e154c3fe3fca428ad6bc3818b27a3b8291 train.py
# files: .
# fails: %run train.py --compile=False --gradient_accumulation_steps=2 --eval_iters=1 --max_iters=2 --batch_size=12
# cure: --batch_size=12 => --batch_size=2

# %%
import os
import numpy

os.makedirs("data/openwebtext", exist_ok=True)
for name in ("train", "val"):
    numpy.zeros(200_000, dtype=numpy.uint16).tofile(f"data/openwebtext/{name}.bin")

# %%
%run train.py --compile=False --gradient_accumulation_steps=2 --eval_iters=1 --max_iters=2 --batch_size=12
