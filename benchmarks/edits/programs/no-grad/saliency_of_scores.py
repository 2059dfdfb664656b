# The class score of each image, and its gradient by `autograd.grad` in a helper
# offered: no
# because: a helper asks for gradients of the outputs
# about: {}
# fails: scores = model(batch)
# %%
import torch

torch.manual_seed(18)
torch.set_default_dtype(torch.float64)
model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Softplus(), torch.nn.Linear(6, 3))


def attribution(scores, batch):
    (g,) = torch.autograd.grad(scores.max(-1).values.sum(), batch)
    return g.abs().mean(0)


# %%
maps = []
for batch in torch.randn(8, 6).split(4):
    batch.requires_grad_(True)
    scores = model(batch)
    maps.append(attribution(scores, batch))
print(torch.stack(maps).sum().item())
