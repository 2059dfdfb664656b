# One-hot targets over a large vocabulary
#
# cause: huge-request
# edit: no
# remedy: split-request, chunks
# gpu: 16GiB
# fails: target = F.one_hot(labels, VOCAB).float()
# source: https://github.com/huggingface/transformers/issues/7232

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = 50_257
model = nn.Sequential(nn.Embedding(VOCAB, 256), nn.Linear(256, 256), nn.GELU()).cuda()

# %%
ids = torch.randint(0, VOCAB, (64, 1024), device="cuda")
labels = torch.roll(ids, -1, dims=1)
hidden = model(ids)

# %%
# soft targets need probabilities
target = F.one_hot(labels, VOCAB).float()
target = target * 0.9 + 0.1 / VOCAB
