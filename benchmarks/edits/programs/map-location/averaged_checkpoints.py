# The weights of two checkpoints are averaged
# offered: no
# because: the sum would be of tensors on two devices
# about: {"name": "b"}
# fails: mean = {k: (a[k] + b[k]) / 2 for k in a}
# %%
import io
import torch

torch.manual_seed(12)
model = torch.nn.Linear(2, 2)
a = {k: v.clone() for k, v in model.state_dict().items()}
f = io.BytesIO()
torch.save(torch.nn.Linear(2, 2).state_dict(), f)
# %%
f.seek(0)
b = torch.load(f)
# %%
mean = {k: (a[k] + b[k]) / 2 for k in a}
model.load_state_dict(mean)
print(model.weight.sum().item())
