# The tensors of the checkpoint become the parameters
# offered: no
# because: `assign=True` puts the model on the host
# about: {"name": "sd"}
# fails: y = net(torch.ones(1, 2))
# %%
import io
import torch

torch.manual_seed(11)
f = io.BytesIO()
torch.save(torch.nn.Linear(2, 2).state_dict(), f)
# %%
f.seek(0)
sd = torch.load(f)
net = torch.nn.Linear(2, 2)
net.load_state_dict(sd, assign=True)
# %%
y = net(torch.ones(1, 2))
print(y.shape)
