# Fabric's language model whose batch stands in a function of the script
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 6GiB
# from: Lightning-AI/pytorch-lightning@7f0c3436cd3f6ad3753125672024fc415cbcb414 examples/fabric/language_model/train.py
# files: examples/fabric/language_model
# change: batch_size=20, shuffle=True => batch_size=800, shuffle=True
# change: max_epochs=20 => max_epochs=1
# fails: %run train.py
# cure: batch_size=800, shuffle=True => batch_size=40, shuffle=True

# %%
import lightning.pytorch.demos as demos
import torch
from standins import Items

words = Items(lambda: (torch.zeros(35, dtype=torch.long), torch.zeros(35, dtype=torch.long)), length=4820)
words.vocab_size = 33_278
demos.WikiText2 = words

# %%
%run train.py
