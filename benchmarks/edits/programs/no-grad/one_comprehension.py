# All outputs of a model in one line
# offered: yes
# about: {}
# fails: outputs = torch.cat([model(b) for b in batches])
# %%
import torch

torch.manual_seed(3)
model = torch.nn.Linear(5, 2)
batches = torch.randn(12, 5).split(3)
# %%
outputs = torch.cat([model(b) for b in batches])
# %%
import numpy as np

ranks = np.argsort(-outputs.detach().numpy()[:, 0])
print(ranks)
