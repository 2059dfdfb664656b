# Hugging Face's text classification with Trainer, its batch raised to 512
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast, accumulate
# gpu: 6GiB
# from: huggingface/notebooks@5068b1142e8ed1e691c8b1e9f98e4473ebe55790 examples/text_classification.ipynb
# change: batch_size = 16 => batch_size = 512
# change: push_to_hub=True => push_to_hub=False, report_to=[]
# change: tokenizer=tokenizer, => processing_class=None,
# change: num_train_epochs=5 => num_train_epochs=1
# change: load_best_model_at_end=True => load_best_model_at_end=False
# change: save_strategy = "epoch" => save_strategy = "no"
# change: return metric.compute(predictions=predictions, references=labels) => return {}
# change: metric_for_best_model=metric_name, => metric_for_best_model=None,
# fails: 26:1
# cure: batch_size = 512 => batch_size = 32

# %%
import numpy as np
import torch
import transformers
from standins import Items

item = {"input_ids": torch.zeros(128, dtype=torch.long), "labels": torch.tensor(0)}
encoded_dataset = {name: Items(lambda: item, length=520) for name in ("train", "validation")}
make = transformers.DistilBertForSequenceClassification
transformers.AutoModelForSequenceClassification.from_pretrained = lambda *_, num_labels: make(transformers.DistilBertConfig(num_labels=num_labels))

# %% theirs 6 22-25

# %% theirs 26
