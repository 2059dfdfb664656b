# A first try with a large batch fails in a function; the second, smaller, fails beside its traceback
#
# cause: earlier-traceback
# also: activations
# edit: no
# remedy: free-traceback
# gpu: 8GiB
# run: 1 2 3! 4!
# fails: step(model, x[:48])
# source: https://github.com/pytorch/pytorch/issues/27600

# %%
import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
    nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(64, 10),
).cuda()
x = torch.rand(256, 3, 224, 224)


# %%
def step(model, images):
    h = images.cuda()
    kept = []
    for layer in model:
        h = layer(h)
        kept.append(h)
    loss = h.logsumexp(1).mean()
    loss.backward()
    return loss.item()


# %%
step(model, x)

# %%
# smaller should work
step(model, x[:48])
