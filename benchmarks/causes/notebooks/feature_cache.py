# Backbone features are cached in a dict, by index
#
# cause: growing-cache
# also: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 2GiB
# fails: train_head(epochs=2)
# cure: feature_cache[i] = backbone(load(i)) => feature_cache[i] = backbone(load(i)).mean((2, 3), keepdim=True)
# source: https://github.com/Project-MONAI/MONAI/issues/6427

# %%
import torch
import torch.nn as nn

backbone = nn.Sequential(
    nn.Conv2d(3, 128, 7, stride=4, padding=3), nn.ReLU(),
    nn.Conv2d(128, 512, 3, stride=2, padding=1), nn.ReLU(),
).cuda().eval().requires_grad_(False)
head = nn.Linear(512, 20).cuda()
optimizer = torch.optim.Adam(head.parameters())


def load(i):
    return torch.rand(8, 3, 224, 224, device="cuda")


# %%
feature_cache = {}


def features(i):
    # computing them again each epoch would be a waste
    if i not in feature_cache:
        feature_cache[i] = backbone(load(i))
    return feature_cache[i]


def train_head(epochs):
    for _ in range(epochs):
        for i in range(180):
            loss = head(features(i).mean((2, 3))).logsumexp(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


# %%
train_head(epochs=2)
