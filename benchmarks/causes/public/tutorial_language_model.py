# yunjey's language model: logits over all words of 400 sequences
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 2GiB
# from: yunjey/pytorch-tutorial@0500d3df5a2a8080ccfccbc00aca0eacc21818db tutorials/02-intermediate/language_model/main.py
# files: tutorials/02-intermediate/language_model
# change: batch_size = 20 => batch_size = 800
# change: num_epochs = 5 => num_epochs = 1
# fails: 1:43
# cure: batch_size = 800 => batch_size = 80

# %%
import os
import random

os.makedirs("data", exist_ok=True)
words = [f"word{n}" for n in range(10_000)]
with open("data/train.txt", "w") as file:
    file.writelines(" ".join(random.choices(words, k=20)) + "\n" for _ in range(20_000))

# %% theirs 1
