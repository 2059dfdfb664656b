# Outputs that are joined to one tensor round by round and drawn with numpy
# offered: yes
# about: {"name": "embeddings"}
# fails: z = encoder(batch)
# %%
import torch
import numpy as np
torch.manual_seed(7)
encoder = torch.nn.Sequential(torch.nn.Linear(6, 2), torch.nn.Sigmoid())
embeddings = torch.empty(0, 2)
# %%
for batch in torch.randn(4, 8, 6):
    z = encoder(batch)
    embeddings = torch.cat([embeddings, z])
# %%
points = embeddings.detach().numpy()
center = points.mean(0)
spread = np.linalg.norm(points - center)
