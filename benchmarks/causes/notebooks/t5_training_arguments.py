# Fine-tuning a T5-like model with Seq2SeqTrainingArguments
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, accumulate, autocast, checkpointing
# gpu: 12GiB
# needs: libraries
# fails: trainer.train()
# cure: per_device_train_batch_size=32 => per_device_train_batch_size=4
# source: https://github.com/huggingface/transformers/issues/10678

# %%
import torch
from transformers import (
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

# %%
config = T5Config(
    d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_heads=8, vocab_size=32128,
    decoder_start_token_id=0,
)
model = T5ForConditionalGeneration(config)

# %%
max_source_length, max_target_length = 512, 128
train_dataset = [
    {
        "input_ids": torch.randint(2, 32128, (max_source_length,)),
        "attention_mask": torch.ones(max_source_length, dtype=torch.long),
        "labels": torch.randint(2, 32128, (max_target_length,)),
    }
    for _ in range(64)
]

# %%
training_args = Seq2SeqTrainingArguments(
    output_dir="t5-summaries",
    per_device_train_batch_size=32,
    learning_rate=3e-4,
    num_train_epochs=1,
    max_steps=2,
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
)
trainer = Seq2SeqTrainer(model=model, args=training_args, train_dataset=train_dataset)
trainer.train()
