# Beside the state the checkpoint has weights of classes for the loss
# offered: no
# because: a tensor of the checkpoint goes into the loss
# about: {"name": "ckpt"}
# fails: loss = criterion(model(torch.ones(2, 3)), torch.tensor([0, 1]))
# %%
import io

import torch
from torch import nn

torch.manual_seed(9)
f = io.BytesIO()
torch.save({"model": nn.Linear(3, 2).state_dict(), "weights": torch.tensor([1.0, 2.0])}, f)
# %%
f.seek(0)
ckpt = torch.load(f)
model = nn.Linear(3, 2)
model.load_state_dict(ckpt["model"])
criterion = nn.CrossEntropyLoss(weight=ckpt["weights"])
# %%
loss = criterion(model(torch.ones(2, 3)), torch.tensor([0, 1]))
print(loss.item())
