# Checkpoints are kept in a list that a later cell reads
# offered: no
# because: who reads the list cannot be told
# about: {"name": "loaded"}
# fails: drift = (loaded["weight"] - model.weight).norm()
# %%
import io
import torch

torch.manual_seed(13)
model = torch.nn.Linear(2, 2)
f = io.BytesIO()
torch.save(model.state_dict(), f)
everything = []
# %%
f.seek(0)
loaded = torch.load(f)
everything.append(loaded)
drift = (loaded["weight"] - model.weight).norm()
# %%
print(drift.item(), len(everything))
