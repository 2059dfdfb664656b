# The checkpoint has the state of the random numbers
# offered: no
# because: what is restored of it is no state of a module
# about: {"name": "ckpt"}
# fails: r = torch.rand(2)[ckpt["mask"]]
# %%
import io
import torch

torch.manual_seed(15)
f = io.BytesIO()
torch.save({"rng": torch.get_rng_state(), "mask": torch.ones(2) > 0}, f)
# %%
f.seek(0)
ckpt = torch.load(f)
torch.set_rng_state(ckpt["rng"])
# %%
r = torch.rand(2)[ckpt["mask"]]
print(r.tolist())
