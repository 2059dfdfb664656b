# minGPT's demonstration that sorts, with a model of GPT-2's size and a batch of 2048
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 8GiB
# from: karpathy/minGPT@37baab71b9abea1b76ab957409a1cc2fbfba8a26 demo.ipynb
# files: .
# change: model_type = 'gpt-nano' => model_type = 'gpt2'
# change: train_config.num_workers = 0 => train_config.num_workers = 0; train_config.batch_size = 2048; train_config.max_iters = 2
# fails: 6:6
# cure: train_config.batch_size = 2048 => train_config.batch_size = 64

# %% theirs 1-4

# %% theirs 5

# %% theirs 6
