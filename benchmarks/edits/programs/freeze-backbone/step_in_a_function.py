# The step is a function, as for two views of a contrastive loss
# offered: yes
# about: {"name": "encoder", "trained": []}
# fails: h = encoder(x)
# %%
import torch
from torch import nn

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
# %%
encoder = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU())
projector = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(projector.parameters(), lr=1e-2)


# %%
def project(x):
	h = encoder(x)
	return nn.functional.normalize(projector(h), dim=-1)


def step(x):
	a, b = project(x), project(x + 0.01)
	loss = (2 - 2 * (a * b).sum(-1)).mean() + (a @ b.T).logsumexp(-1).mean()
	optimizer.zero_grad()
	loss.backward()
	optimizer.step()
	return loss.item()


# %%
print([round(step(x), 8) for x in torch.randn(12, 4).split(4)])
