# Losses are appended with their graphs, at a batch that takes half of the GPU
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: keep-numbers
# gpu: 8GiB
# fails: logits = model(xb)
# cure: F.cross_entropy(logits, yb)) => F.cross_entropy(logits, yb).item())
# source: https://pytorch.org/docs/stable/notes/faq.html

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda")

model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(64, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10),
).to(device)

# %%
val_x = torch.rand(1536, 3, 32, 32)
val_y = torch.randint(0, 10, (1536,))
batch_size = 768

# %%
val_losses = []
for epoch in range(5):
    for i in range(0, len(val_x), batch_size):
        xb = val_x[i:i + batch_size].to(device)
        yb = val_y[i:i + batch_size].to(device)
        logits = model(xb)
        val_losses.append(F.cross_entropy(logits, yb))

print(sum(val_losses) / len(val_losses))
