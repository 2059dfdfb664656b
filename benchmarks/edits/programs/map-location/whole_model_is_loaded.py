# A whole model is loaded, and asked at once
# offered: no
# because: the model itself would be on the host
# about: {"name": "net"}
# fails: y = net(torch.ones(1, 3))
# %%
import io
import torch

torch.manual_seed(8)
f = io.BytesIO()
torch.save(torch.nn.Linear(3, 1), f)
# %%
f.seek(0)
net = torch.load(f, weights_only=False)
# %%
y = net(torch.ones(1, 3))
print(y.shape)
