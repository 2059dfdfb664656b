# Gradient accumulation that adds up losses and calls backward once
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: accumulate, keep-numbers
# gpu: 5GiB
# fails: pred = model(x_mb)
# cure: loss = loss + criterion(pred, y_mb) / accumulation_steps => (criterion(pred, y_mb) / accumulation_steps).backward()
# cure: loss.backward() => None
# source: https://discuss.pytorch.org/t/gpu-memory-increase-while-i-wanna-to-backward-with-accumulative-loss/43284

# %%
import torch
from torch import nn

accumulation_steps = 16
micro_batch = 32

model = nn.Sequential(
    nn.Conv2d(3, 48, 3, padding=1), nn.ReLU(), nn.Conv2d(48, 48, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(768, 100),
).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters())

# %%
for step in range(3):
    optimizer.zero_grad()
    loss = 0
    for _ in range(accumulation_steps):
        x_mb = torch.rand(micro_batch, 3, 160, 160, device="cuda")
        y_mb = torch.randint(0, 100, (micro_batch,), device="cuda")
        pred = model(x_mb)
        loss = loss + criterion(pred, y_mb) / accumulation_steps
    loss.backward()
    optimizer.step()
