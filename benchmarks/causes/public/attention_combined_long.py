# Raschka's combined attention on sequences of 4096
#
# cause: activations
# what: input-length
# edit: yes
# remedy: shorter-input, smaller-batch, no-grad, autocast
# gpu: 8GiB
# from: rasbt/LLMs-from-scratch@28c65cdfbc3338e2e040016eea4b7fdf556e4d57 ch03/02_bonus_efficient-multihead-attention/mha-implementations.ipynb
# change: context_len = 1024 => context_len = 4096
# fails: 5:39
# cure: context_len = 4096 => context_len = 1024

# %% theirs 1

# %% theirs 5
