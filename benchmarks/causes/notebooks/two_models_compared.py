# A second model is loaded to compare, with the first and its optimizer still there
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: offload, delete-leftovers, half-inference
# gpu: 8GiB
# fails: model_v2 = load("v2")
# cure: model_v2 = load("v2") => del model_v1, optimizer, out\nmodel_v2 = load("v2")
# source: https://discuss.pytorch.org/t/how-can-i-release-the-unused-gpu-memory/81919

# %%
import torch
from torch import nn

SIZES = {"v1": (4096, 20), "v2": (4096, 64)}


def load(name: str) -> nn.Module:
    width, depth = SIZES[name]
    return nn.Sequential(*[
        nn.Sequential(nn.Linear(width, width, device="cuda"), nn.GELU()) for _ in range(depth)
    ])


# %%
model_v1 = load("v1")
optimizer = torch.optim.Adam(model_v1.parameters(), lr=1e-5)
batch = torch.randn(128, 4096, device="cuda")

for _ in range(3):
    out = model_v1(batch)
    out.square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()

# %%
model_v2 = load("v2")
with torch.no_grad():
    print(model_v2(batch).abs().mean())
