# Raschka's attention of separate heads with 48 sequences
#
# cause: activations
# also: evaluation-with-gradients
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, no-grad, autocast
# gpu: 3686MiB
# from: rasbt/LLMs-from-scratch@28c65cdfbc3338e2e040016eea4b7fdf556e4d57 ch03/02_bonus_efficient-multihead-attention/mha-implementations.ipynb
# change: batch_size = 8 => batch_size = 48
# fails: 3:23
# cure: batch_size = 48 => batch_size = 8

# %% theirs 1

# %% theirs 3
