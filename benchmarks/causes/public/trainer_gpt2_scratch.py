# Hugging Face's GPT-2 from scratch with Trainer and 128 sequences on each device
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast, accumulate
# gpu: 8GiB
# from: huggingface/notebooks@5068b1142e8ed1e691c8b1e9f98e4473ebe55790 examples/language_modeling_from_scratch.ipynb
# change: push_to_hub=True => per_device_train_batch_size=128, max_steps=2, report_to=[]
# fails: 23:1
# cure: per_device_train_batch_size=128 => per_device_train_batch_size=8

# %%
import torch
from standins import Items
from transformers import GPT2Config, GPT2LMHeadModel

ids = torch.zeros(128, dtype=torch.long)
lm_datasets = {name: Items(lambda: {"input_ids": ids, "labels": ids}, length=140) for name in ("train", "validation")}
model_checkpoint, model = "gpt2", GPT2LMHeadModel(GPT2Config())

# %% theirs 20-22

# %% theirs 23
