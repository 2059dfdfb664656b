# A decoder of one's own whose keys and values of all conversations stay on the GPU
#
# cause: growing-cache
# edit: yes
# remedy: delete-leftovers, keep-numbers
# gpu: 3GiB
# fails: chat.reply(prompt, user=f"user-{n}")
# cure: self.sessions[user] = cache => cache.clear()
# source: https://github.com/huggingface/transformers/issues/31717

# %%
import torch
from torch import nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, dim=1024, heads=16):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, past):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        return x + self.out(y.transpose(1, 2).reshape(b, t, c)), (k, v)


class Chat:
    def __init__(self, layers=12, dim=1024):
        with torch.device("cuda"):
            self.layers = nn.ModuleList(Layer(dim) for _ in range(layers))
        self.sessions = {}

    @torch.inference_mode()
    def reply(self, x, user):
        cache = self.sessions.get(user) or [None] * len(self.layers)
        for i, layer in enumerate(self.layers):
            x, cache[i] = layer(x, cache[i])
        self.sessions[user] = cache
        return x[:, -1]


# %%
chat = Chat()
prompt = torch.randn(1, 4096, 1024, device="cuda")

# %%
for n in range(8):
    chat.reply(prompt, user=f"user-{n}")
