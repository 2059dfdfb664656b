# A forward hook appends what a layer puts out, batch after batch
#
# cause: retained-graph
# also: kept-tensors, activations
# edit: yes
# remedy: keep-numbers, no-grad
# gpu: 3GiB
# fails: model(x.to(device))
# cure: activations[name].append(output) => activations[name].append(output.detach().mean((2, 3)).cpu())
# source: https://runebook.dev/ja/docs/pytorch/generated/torch.nn.module/torch.nn.Module.register_forward_hook

# %%
from collections import defaultdict

import torch
import torch.nn as nn

device = "cuda"
model = nn.Sequential()
for i, (a, b) in enumerate([(3, 32), (32, 64), (64, 128)]):
    model.add_module(f"conv{i}", nn.Conv2d(a, b, 3, stride=2, padding=1))
    model.add_module(f"relu{i}", nn.ReLU())
model.to(device)

# %%
activations = defaultdict(list)


def save(name):
    def hook(module, args, output):
        activations[name].append(output)
    return hook


for name, module in model.named_modules():
    if isinstance(module, nn.Conv2d):
        module.register_forward_hook(save(name))

# %%
batches = [torch.rand(64, 3, 224, 224)] * 20
for x in batches:
    model(x.to(device))
