# Langevin sampling of an energy model keeps the graph of every step
#
# cause: retained-graph
# also: evaluation-with-gradients, activations
# edit: yes
# remedy: keep-numbers
# gpu: 5GiB
# fails: g = torch.autograd.grad(energy(z).sum(), z, create_graph=True)[0]
# cure: z = z - 0.5 * step_size * g + => z = z.detach() - 0.5 * step_size * g.detach() +
# cure: torch.randn_like(z) => torch.randn_like(z).requires_grad_()
# source: https://github.com/wgrathwohl/JEM/issues/7

# %%
import torch
from torch import nn

energy = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, 64, 3, stride=2, padding=1), nn.SiLU(),
    nn.Flatten(), nn.Linear(64 * 32 * 32, 1),
).cuda()
step_size = 0.01

# %%
z = torch.rand(64, 3, 64, 64, device="cuda", requires_grad=True)
for k in range(60):
    g = torch.autograd.grad(energy(z).sum(), z, create_graph=True)[0]
    z = z - 0.5 * step_size * g + step_size**0.5 * torch.randn_like(z)
