# nanoGPT's benchmark with 48 sequences from its command line
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 12GiB
# from: karpathy/nanoGPT@3adf61e154c3fe3fca428ad6bc3818b27a3b8291 bench.py
# files: .
# fails: %run bench.py --real_data=False --compile=False --batch_size=48
# cure: --batch_size=48 => --batch_size=4

# %%
%run bench.py --real_data=False --compile=False --batch_size=48
