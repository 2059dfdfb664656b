# A checkpoint is loaded into a model, and its epoch is read
# offered: yes
# about: {"name": "ckpt"}
# fails: out = model(x)
# %%
import io

import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
buffer = io.BytesIO()
first = nn.Linear(3, 2)
torch.save({"epoch": 4, "model": first.state_dict()}, buffer)
# %%
buffer.seek(0)
ckpt = torch.load(buffer)
model = nn.Linear(3, 2)
model.load_state_dict(ckpt["model"])
start_epoch = ckpt["epoch"] + 1
print(f"resumed at {start_epoch}")
# %%
x = torch.ones(2, 3)
out = model(x)
print(out.sum().item())
