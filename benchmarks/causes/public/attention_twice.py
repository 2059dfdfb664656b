# Raschka's attentions one after the other: the output of the first keeps its graph
#
# cause: retained-graph
# also: activations, evaluation-with-gradients, loop-leftovers
# edit: yes
# remedy: no-grad, delete-leftovers, smaller-batch
# gpu: 1843MiB
# from: rasbt/LLMs-from-scratch@28c65cdfbc3338e2e040016eea4b7fdf556e4d57 ch03/02_bonus_efficient-multihead-attention/mha-implementations.ipynb
# fails: 4:44
# cure: batch_size = 8 => batch_size = 2

# %% theirs 1

# %% theirs 3

# %% theirs 4
