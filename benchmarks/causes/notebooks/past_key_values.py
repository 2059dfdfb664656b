# Prefixes of many prompts are encoded once, and their past_key_values are kept in a dict
#
# cause: growing-cache
# also: kept-tensors
# edit: yes
# remedy: keep-numbers, delete-leftovers
# gpu: 3GiB
# needs: libraries
# fails: prefix_cache[i] = lm(ids, use_cache=True).past_key_values
# cure: prefix_cache[i] = lm(ids, use_cache=True).past_key_values => prefix_cache = {i: lm(ids, use_cache=True).past_key_values}
# source: https://github.com/huggingface/transformers/issues/31717

# %%
import torch
from transformers import GPT2Config, GPT2LMHeadModel

lm = GPT2LMHeadModel(GPT2Config(n_layer=12, n_head=12, n_embd=768, vocab_size=4096)).cuda().eval()

# %%
prompts = [torch.randint(0, 4096, (8, 768)) for _ in range(8)]

# %%
prefix_cache = {}
with torch.no_grad():
    for i, ids in enumerate(prompts):
        ids = ids.cuda()
        prefix_cache[i] = lm(ids, use_cache=True).past_key_values
