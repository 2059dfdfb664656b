# What is loaded has no name
# offered: yes
# about: {"name": null}
# fails: y = net(torch.ones(1, 4))
# %%
import io
import torch

torch.manual_seed(1)
file = io.BytesIO()
torch.save(torch.nn.Linear(4, 4).state_dict(), file)
# %%
file.seek(0)
net = torch.nn.Linear(4, 4)
net.load_state_dict(torch.load(file, weights_only=True))
# %%
y = net(torch.ones(1, 4))
print(y.tolist())
