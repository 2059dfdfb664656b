# Sentence embeddings with transformers, kept with their graphs, in a loop over texts
#
# cause: retained-graph
# also: evaluation-with-gradients, kept-tensors
# edit: yes
# remedy: no-grad, keep-numbers
# gpu: 6GiB
# needs: libraries
# fails: out = bert(input_ids=tokens)
# cure: vectors.append(out.last_hidden_state[:, 0]) => vectors.append(out.last_hidden_state[:, 0].detach().cpu())
# source: https://github.com/huggingface/transformers/issues/11848

# %%
import torch
from transformers import BertConfig, BertModel

bert = BertModel(BertConfig(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536))
bert = bert.cuda().eval()

# %%
vectors = []
for _ in range(40):
    tokens = torch.randint(0, 30000, (24, 192), device="cuda")
    out = bert(input_ids=tokens)
    vectors.append(out.last_hidden_state[:, 0])
vectors = torch.cat(vectors)
