# `match` captures, a walrus and an f-string
# offered: yes
# about: {"names": ["out", "loss"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
best = 9.0
for i, x in enumerate(torch.randn(4, 5, 3)):
    out = model(x)
    loss = out.pow(2).mean().item()
    if (improved := loss < best):
        best = loss
    print(f"{i}: {loss=:.3f}")
# %%
match improved:
    case True:
        note = "better"
    case _:
        note = "not"
