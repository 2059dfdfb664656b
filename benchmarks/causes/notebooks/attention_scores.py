# Attention written out: the scores of long texts do not fit
#
# cause: huge-request
# also: activations
# edit: no
# remedy: shorter-input, smaller-batch, split-request
# gpu: 16GiB
# fails: out = attn(x)
# source: https://github.com/CyberZHG/keras-multi-head/issues/1

# %%
import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12):
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))


attn = SelfAttention().cuda()

# %%
max_length = 8192
x = torch.randn(4, max_length, 768, device="cuda")
out = attn(x)
out.mean().backward()
