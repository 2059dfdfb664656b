# Udacity's network on characters: its one LSTM call over 2000 sequences
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 4GiB
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 recurrent-neural-networks/char-rnn/Character_Level_RNN_Solution.ipynb
# change: batch_size = 128 => batch_size = 2000
# change: n_epochs = 20 => n_epochs = 1
# fails: 15:6
# cure: batch_size = 2000 => batch_size = 128

# %%
import os
import random
import string

os.makedirs("data")
with open("data/anna.txt", "w") as file:
    file.write("".join(random.choices(string.printable[:83], k=900_000)))

# %% theirs 1 2 4 6 8 11-14

# %% theirs 15
