# Data of NumPy goes to PyTorch in double precision, and the model follows it
# offered: yes
# about: {"way": "single", "names": ["X", "Y", "model"]}
# fails: loss = ((model(X) - Y) ** 2).mean()
# %%
import numpy as np
import torch

torch.manual_seed(0)
rng = np.random.default_rng(0)
# %%
X = torch.from_numpy(rng.normal(size=(20, 4)))
Y = torch.from_numpy(rng.normal(size=(20, 1)))
model = torch.nn.Linear(4, 1).double()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
# %%
for step in range(5):
    loss = ((model(X) - Y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}")
