# AdamW handles all parameters at once: what it computes in between is as large as the model
#
# cause: model-too-large
# edit: yes
# remedy: lighter-optimizer, lora, load-dtype
# gpu: 10GiB
# fails: opt.step()
# cure: weight_decay=0.01) => weight_decay=0.01, foreach=False)
# source: https://github.com/pytorch/pytorch/issues/90718

# %%
import torch
from torch import nn

model = nn.Sequential(nn.Embedding(32_000, 1024), *[
    nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, norm_first=True) for _ in range(45)
]).cuda()

# %%
opt = torch.optim.AdamW(model.parameters(), lr=3e-5, weight_decay=0.01)

# %%
for _ in range(2):
    opt.zero_grad()
    out = model(torch.randint(0, 32_000, (2, 64), device="cuda"))
    out.square().mean().backward()
    opt.step()
