# Embeddings of a corpus are computed with graphs and kept in a list
#
# cause: retained-graph
# also: evaluation-with-gradients, kept-tensors
# edit: yes
# remedy: no-grad, keep-numbers
# gpu: 8GiB
# fails: hidden = encoder(embed(ids))
# cure: embeddings.append(hidden.mean(1)) => embeddings.append(hidden.mean(1).detach().cpu())
# source: https://github.com/huggingface/transformers/issues/11848

# %%
import torch
import torch.nn as nn

embed = nn.Embedding(30_522, 384).cuda()
encoder = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(384, 6, 1536, batch_first=True, dropout=0.0), 3
).cuda()
corpus = [torch.randint(0, 30_522, (32, 256)) for _ in range(60)]

# %%
embeddings = []
for i, ids in enumerate(corpus):
    ids = ids.cuda()
    hidden = encoder(embed(ids))
    embeddings.append(hidden.mean(1))
