# A loop with a tiny stand-in for Accelerate
# offered: yes
# about: {"model": "model"}
# fails: metric += F.cross_entropy(model(batch["x"]), batch["y"]).item()
# %%
import torch
from torch import nn
import torch.nn.functional as F


class Accelerator:
    device = "cpu"

    def prepare(self, *args):
        return args

    def backward(self, loss):
        loss.backward()


torch.manual_seed(6)
accelerator = Accelerator()
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.0), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
batches = [{"x": torch.randn(5, 4), "y": torch.randint(0, 3, (5,))} for _ in range(4)]
model, optimizer = accelerator.prepare(model, optimizer)
modes = []
# %%
for epoch in range(2):
    for batch in batches[:3]:
        modes.append(model.training)
        loss = F.cross_entropy(model(batch["x"]), batch["y"])
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    metric = 0.0
    for batch in batches[3:]:
        metric += F.cross_entropy(model(batch["x"]), batch["y"]).item()
    print(epoch, round(metric, 6))
