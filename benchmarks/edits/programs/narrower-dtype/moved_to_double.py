# `.to(torch.double)` behind a dataset of single precision
# offered: yes
# about: {"way": "single", "names": ["batch"]}
# fails: total = batch.sum()
# %%
import torch

torch.manual_seed(2)
dataset = torch.randn(16, 3)
# %%
for batch in [dataset.to(torch.double)]:
    pass
batch = dataset.to(torch.double)
total = batch.sum()
print(f"{total.item():.3f}")
