# The keys are looked at in a loop before they are loaded
# offered: yes
# about: {"name": "sd"}
# fails: z = model(torch.ones(2, 2))
# %%
import io
import torch

torch.manual_seed(3)
f = io.BytesIO()
torch.save(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)).state_dict(), f)
# %%
f.seek(0)
sd = torch.load(f)
for i, key in enumerate(sd.keys()):
	print(i, key)
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
missing = model.load_state_dict(sd, strict=False)
print(len(sd), "fc.weight" in sd)
# %%
z = model(torch.ones(2, 2))
print(z.shape)
