# The checkpoint goes to a function of a library
# offered: no
# because: what the function does with it is not known
# about: {"name": "saved"}
# fails: w = torch.func.functional_call(model, saved, (torch.ones(1, 2),))
# %%
import io
import torch

torch.manual_seed(10)
model = torch.nn.Linear(2, 2)
f = io.BytesIO()
torch.save(model.state_dict(), f)
# %%
f.seek(0)
saved = torch.load(f)
# %%
w = torch.func.functional_call(model, saved, (torch.ones(1, 2),))
print(w.shape)
