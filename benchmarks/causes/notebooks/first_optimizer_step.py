# Forward and backward pass, the first step of AdamW does not
#
# cause: model-too-large
# edit: yes
# remedy: lighter-optimizer, lora, freeze-backbone, load-dtype, autocast
# gpu: 16GiB
# fails: optimizer.step()
# cure: AdamW(model.parameters(), lr=1e-5) => SGD(model.parameters(), lr=1e-5)
# source: https://github.com/pytorch/pytorch/issues/9439

# %%
import torch
from torch import nn

with torch.device("cuda"):
    layer = lambda: nn.TransformerEncoderLayer(2048, 16, 8192, batch_first=True, dropout=0.0)
    model = nn.Sequential(nn.Embedding(50_000, 2048), *[layer() for _ in range(20)])

print(sum(p.numel() for p in model.parameters()) / 1e9, "B parameters")

# %%
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
tokens = torch.randint(0, 50_000, (1, 128), device="cuda")

# %%
loss = model(tokens).float().pow(2).mean()
loss.backward()
optimizer.step()
optimizer.zero_grad()
