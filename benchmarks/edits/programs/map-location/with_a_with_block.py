# The file is opened in a `with`, and the best value is compared
# offered: yes
# about: {"name": "best"}
# fails: v = m(torch.zeros(1, 3))
# %%
import contextlib
import io

import torch

torch.manual_seed(5)
data = io.BytesIO()
torch.save({"state_dict": torch.nn.Linear(3, 3).state_dict(), "loss": 0.5}, data)
# %%
m = torch.nn.Linear(3, 3)
with contextlib.closing(io.BytesIO(data.getvalue())) as handle:
    best = torch.load(handle)
    m.load_state_dict(best["state_dict"])
# %%
v = m(torch.zeros(1, 3))
print(v.shape)
