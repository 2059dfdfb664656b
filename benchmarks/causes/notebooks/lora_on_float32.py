# LoRA on a base model that was loaded in float32
#
# cause: wide-dtype
# also: model-too-large, activations
# edit: yes
# remedy: load-dtype, quantised, autocast, checkpointing
# gpu: 6GiB
# needs: libraries
# fails: out = model(input_ids=ids, labels=ids)
# cure: torch.set_default_dtype(torch.float32) => torch.set_default_dtype(torch.bfloat16)
# source: https://github.com/huggingface/peft/issues/1249

# %%
import torch
from peft import LoraConfig, TaskType, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_default_dtype(torch.float32)
config = LlamaConfig(
    hidden_size=2048, intermediate_size=5632, num_hidden_layers=24, num_attention_heads=32,
    num_key_value_heads=4, vocab_size=32000,
)
with torch.device("cuda"):
    base = LlamaForCausalLM(config)

# %%
peft_config = LoraConfig(
    task_type=TaskType.CAUSAL_LM, r=8, lora_alpha=16, lora_dropout=0.05,
    target_modules=["q_proj", "v_proj"],
)
model = get_peft_model(base, peft_config).cuda()
model.print_trainable_parameters()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-4)

# %%
for step in range(2):
    ids = torch.randint(0, 32000, (1, 512), device="cuda")
    out = model(input_ids=ids, labels=ids)
    out.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
