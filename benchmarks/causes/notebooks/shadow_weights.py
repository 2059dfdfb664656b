# An average of the weights as everybody copies it: a dict of shadows on the GPU
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: offload, lighter-optimizer
# gpu: 8GiB
# fails: optimizer.step()
# cure: self.shadow[name] = param.data.clone() => self.shadow[name] = param.data.clone().cpu()
# cure: (1 - self.decay) * param.data => (1 - self.decay) * param.data.cpu()
# source: https://github.com/lucidrains/ema-pytorch/issues/4

# %%
import torch
from torch import nn


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {}
        for name, param in model.named_parameters():
            self.shadow[name] = param.data.clone()

    def update(self, model):
        for name, param in model.named_parameters():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * param.data


# %%
d = 6144
with torch.device("cuda"):
    model = nn.Sequential(*[nn.Linear(d, d) for _ in range(10)])
ema = EMA(model, 0.999)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

# %%
for step in range(5):
    x = torch.randn(64, d, device="cuda")
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(model)
