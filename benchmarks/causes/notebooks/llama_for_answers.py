# A language model for answers only, loaded in float32
#
# cause: wide-dtype
# also: model-too-large
# edit: yes
# remedy: load-dtype, half-inference, quantised, offload
# gpu: 8GiB
# needs: libraries
# run: 1 2!
# fails: model = AutoModelForCausalLM.from_config(config)
# cure: AutoModelForCausalLM.from_config(config) => AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
# source: https://huggingface.co/docs/transformers/main/en/llm_tutorial_optimization

# %%
import torch
from transformers import AutoModelForCausalLM, LlamaConfig

config = LlamaConfig(
    hidden_size=3072, intermediate_size=8192, num_hidden_layers=28, num_attention_heads=24,
    num_key_value_heads=8, vocab_size=32000,
)

# %%
torch.set_default_device("cuda")
model = AutoModelForCausalLM.from_config(config)
model.eval()
