# Trainer.evaluate collects logits over the whole vocabulary on the GPU
#
# cause: kept-tensors
# edit: yes
# remedy: eval-accumulation, keep-numbers
# gpu: 3GiB
# needs: libraries
# fails: trainer.evaluate()
# cure: per_device_eval_batch_size=4, => per_device_eval_batch_size=4, eval_accumulation_steps=2,
# cure: preprocess_logits_for_metrics=None => preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1)
# source: https://github.com/huggingface/transformers/issues/7232

# %%
import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

config = GPT2Config(n_layer=2, n_head=4, n_embd=256, vocab_size=16000, n_positions=512)
model = GPT2LMHeadModel(config)
rows = [{"input_ids": torch.arange(512), "labels": torch.arange(512)} for _ in range(64)]


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    if predictions.ndim == 3:
        predictions = predictions.argmax(-1)
    return {"accuracy": float((np.asarray(predictions) == np.asarray(labels)).mean())}


# %%
args = TrainingArguments(
    "out", per_device_train_batch_size=2, per_device_eval_batch_size=4, max_steps=2,
    save_strategy="no", report_to=[], disable_tqdm=True,
)
trainer = Trainer(
    model, args, train_dataset=rows, eval_dataset=rows, compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=None,
)
trainer.train()

# %%
trainer.evaluate()
