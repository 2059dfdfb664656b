# Hugging Face's Accelerate notebook on pets, its call with another batch
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 3GiB
# needs: libraries
# from: huggingface/notebooks@5068b1142e8ed1e691c8b1e9f98e4473ebe55790 examples/accelerate_examples/simple_cv_example.ipynb
# change: num_workers=4 => num_workers=2
# fails: training_loop("no", 42, 256)
# cure: training_loop("no", 42, 256) => training_loop("no", 42, 32)

# %%
import timm
import torch
from standins import Items

names = [f"class{n}" for n in range(37)]
fnames, label_to_id = list(range(270)), {name: n for n, name in enumerate(names)}
create = timm.create_model
timm.create_model = lambda *a, pretrained=False, **k: create(*a, **k)

# %% theirs 2 8

# %%
item = {"image": torch.zeros(3, 224, 224), "label": torch.tensor(1)}
PetsDataset = Items(lambda: item, length=270)

# %% theirs 10

# %%
training_loop("no", 42, 256)
