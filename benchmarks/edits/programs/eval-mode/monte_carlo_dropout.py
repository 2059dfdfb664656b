# Uncertainty by dropout: many passes in training mode, on purpose
# offered: no
# because: the results are those of training mode on purpose
# about: {"model": "model"}
# fails: draws.append(model(x))
# %%
import torch
from torch import nn

torch.manual_seed(8)
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1)).eval()
x = torch.randn(5, 3)
# %%
model.train()  # keep dropout on
draws = []
with torch.no_grad():
    for _ in range(20):
        draws.append(model(x))
mean, std = torch.stack(draws).mean(0), torch.stack(draws).std(0)
# %%
print(bool((std > 0).any()))
spread_seen = bool((std > 0).any())
