# Accelerate's example of language: the model fits, its optimizer's first step does not
#
# cause: model-too-large
# also: activations
# edit: no
# remedy: lighter-optimizer, lora, load-dtype, autocast
# gpu: 5GiB
# needs: libraries
# from: huggingface/accelerate@16cb6eb80dd9aa8b4df1a63ef57863e455d53b83 examples/nlp_example.py
# files: examples
# fails: %run nlp_example.py

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


splits = Splits({name: Items(lambda: 0, length=700) for name in ("train", "validation")})
absent("evaluate", datasets={"load_dataset": lambda *_, **__: splits})
import transformers

config = transformers.BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
transformers.AutoTokenizer.from_pretrained = lambda *_, **__: Tokens()
make = transformers.BertForSequenceClassification
transformers.AutoModelForSequenceClassification.from_pretrained = lambda *_, **__: make(config)

# %%
%run nlp_example.py
