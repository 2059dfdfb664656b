# The whole Jacobian of a decoder
#
# cause: huge-request
# edit: no
# remedy: split-request, chunks
# gpu: 12GiB
# fails: J = torch.func.jacrev(decode)(z)
# source: https://pytorch.org/tutorials/intermediate/jacobians_hessians.html

# %%
import torch
import torch.nn as nn

decoder = nn.Sequential(
    nn.Linear(64, 1024), nn.Softplus(), nn.Linear(1024, 16384), nn.Unflatten(1, (1, 128, 128))
).cuda()


def decode(z):
    return decoder(z)


# %%
z = torch.randn(128, 64, device="cuda")

# %%
# metric of the latent space
J = torch.func.jacrev(decode)(z)
G = torch.einsum("bchwmi,bchwmj->mij", J, J)
