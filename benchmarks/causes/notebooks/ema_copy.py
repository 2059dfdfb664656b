# A moving average of the weights is kept on the GPU beside a model that fills it
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: offload, lighter-optimizer, autocast
# gpu: 8GiB
# fails: optimizer.step()
# cure: copy.deepcopy(model).eval() => copy.deepcopy(model).cpu().eval()
# cure: e.lerp_(p, 1 - decay) => e.lerp_(p.cpu(), 1 - decay)
# source: https://github.com/microsoft/Semi-supervised-learning/issues/13

# %%
import copy

import torch
import torch.nn as nn


def build(d=6144, n=10):
    return nn.Sequential(*[nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.SiLU()) for _ in range(n)])


with torch.device("cuda"):
    model = build()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
scaler = torch.amp.GradScaler("cuda")

# %%
ema = copy.deepcopy(model).eval()
decay = 0.9999


@torch.no_grad()
def update_ema():
    for e, p in zip(ema.parameters(), model.parameters()):
        e.lerp_(p, 1 - decay)


# %%
noise_scale = 0.1
for step in range(10):
    x0 = torch.randn(256, 6144, device="cuda")
    pred = model(x0 + noise_scale * torch.randn_like(x0))
    loss = nn.functional.mse_loss(pred, x0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_ema()
