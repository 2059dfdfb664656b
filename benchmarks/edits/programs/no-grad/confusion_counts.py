# A while loop over an iterator that counts right answers
# offered: yes
# about: {}
# fails: hits += int((clf(x) > 0).eq(t).sum())
# %%
import torch

torch.manual_seed(9)
clf = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0))
it = iter([(torch.randn(4, 3), torch.rand(4) > 0.5) for _ in range(3)])
hits, seen = 0, 0
# %%
while (batch := next(it, None)) is not None:
    x, t = batch
    hits += int((clf(x) > 0).eq(t).sum())
    seen += len(x)
print(f"{hits}/{seen}")
