# A deep copy of the model is kept for each epoch that improved
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: offload, save-checkpoint
# gpu: 4GiB
# fails: optimizer.step()
# cure: copy.deepcopy(model)) => copy.deepcopy(model).cpu())
# source: https://github.com/huggingface/pytorch-image-models/issues/72

# %%
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

with torch.device("cuda"):
    model = nn.Sequential(
        nn.Linear(2048, 8192), nn.ReLU(), nn.Linear(8192, 8192), nn.ReLU(),
        nn.Linear(8192, 2048),
    )
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
x = torch.randn(64, 2048, device="cuda")

# %%
best_loss = float("inf")
best_models = []
for epoch in range(10):
    model.train()
    for _ in range(2):
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
    if loss.item() <= best_loss:
        best_loss = loss.item()
        best_models.append(copy.deepcopy(model))
