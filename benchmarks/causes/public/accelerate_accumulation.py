# Accelerate's example of accumulation: BERT and a batch of 64 in its dictionary
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 6GiB
# needs: libraries
# from: huggingface/accelerate@16cb6eb80dd9aa8b4df1a63ef57863e455d53b83 examples/by_feature/gradient_accumulation.py
# files: examples/by_feature
# change: "batch_size": 16 => "batch_size": 64
# change: "num_epochs": 3 => "num_epochs": 1
# fails: %run gradient_accumulation.py --gradient_accumulation_steps 2
# cure: "batch_size": 64 => "batch_size": 8

# %%
import torch
from standins import Items, absent


class Tokens:
    """Stands for a tokenizer: sentences of 128 words."""

    def pad(self, examples, **_):
        shape = len(examples), 128
        batch = {"input_ids": torch.zeros(shape, dtype=torch.long), "labels": torch.zeros(len(examples), dtype=torch.long)}
        return transformers.BatchEncoding({**batch, "attention_mask": torch.ones(shape, dtype=torch.long)})


class Splits(dict):
    """Stands for a set of data sets."""

    def map(self, *_, **__):
        return self

    def rename_column(self, *_):
        return self


splits = Splits({name: Items(lambda: 0, length=140) for name in ("train", "validation")})
absent("evaluate", datasets={"load_dataset": lambda *_, **__: splits})
import transformers

config = transformers.BertConfig(num_hidden_layers=12)
transformers.AutoTokenizer.from_pretrained = lambda *_, **__: Tokens()
make = transformers.BertForSequenceClassification
transformers.AutoModelForSequenceClassification.from_pretrained = lambda *_, **__: make(config)

# %%
%run gradient_accumulation.py --gradient_accumulation_steps 2
