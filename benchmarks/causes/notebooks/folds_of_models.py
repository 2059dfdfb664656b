# Cross-validation keeps the trained model of every fold on the GPU
#
# cause: kept-copies
# edit: yes
# remedy: offload, save-checkpoint
# gpu: 8GiB
# fails: opt.step()
# cure: fold_models.append((model, opt)) => fold_models.append(model.cpu())
# source: https://github.com/pytorch/pytorch/issues/22684

# %%
import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(0)
features = torch.from_numpy(rng.standard_normal((2000, 512)).astype("float32"))
targets = torch.from_numpy(rng.standard_normal((2000, 1)).astype("float32"))


def build():
    with torch.device("cuda"):
        return nn.Sequential(
            nn.Linear(512, 8192), nn.GELU(), nn.Linear(8192, 8192), nn.GELU(), nn.Linear(8192, 1)
        )


# %%
K = 10
folds = torch.arange(2000).chunk(K)
fold_models, scores = [], []

# %%
for k in range(K):
    train_idx = torch.cat([f for i, f in enumerate(folds) if i != k])
    model = build().cuda()
    opt = torch.optim.Adam(model.parameters(), lr=1e-4)
    for i in train_idx.split(900):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(features[i].cuda()), targets[i].cuda())
        loss.backward()
        opt.step()
    with torch.no_grad():
        scores.append(nn.functional.mse_loss(model(features[folds[k]].cuda()), targets[folds[k]].cuda()).item())
    fold_models.append((model, opt))
