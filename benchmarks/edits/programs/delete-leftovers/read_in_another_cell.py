# The last loss is shown by the next cell
# offered: no
# because: the next cell reads loss
# about: {"names": ["out", "loss"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.ones(3, 4, 2):
    out = model(x)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# %%
print(f"final {loss.item():.4f}")
