# A full fine-tune of a language model whose optimizer does not fit, at a batch of one
#
# cause: model-too-large
# edit: yes
# remedy: lighter-optimizer, lora, load-dtype, freeze-backbone, quantised
# gpu: 12GiB
# needs: libraries
# fails: trainer.train()
# cure: optim="adamw_torch" => optim="sgd"
# source: https://github.com/huggingface/transformers/issues/9311

# %%
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

config = GPT2Config(n_layer=36, n_head=20, n_embd=1280)  # gpt2-large
with torch.device("cuda"):
    model = GPT2LMHeadModel(config)
print(f"{model.num_parameters() / 1e6:.0f} M parameters")

# %%
data = [{"input_ids": torch.arange(128), "labels": torch.arange(128)} for _ in range(8)]

# %%
args = TrainingArguments(
    output_dir="gpt2-large-mine",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=1,
    optim="adamw_torch",
    learning_rate=2e-5,
    max_steps=2,
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=data)
trainer.train()
