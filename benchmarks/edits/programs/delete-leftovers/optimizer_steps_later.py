# Another cell steps the optimizer of the model that is to go
# offered: no
# because: later cells train model
# about: {"names": ["model"], "where": "before"}
# fails: other = torch.nn.Linear(3, 3)
# %%
import torch
model = torch.nn.Linear(3, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
other = torch.nn.Linear(3, 3)
# %%
loss = (model(torch.ones(2, 3)) - other(torch.ones(2, 3))).pow(2).mean()
loss.backward()
opt.step()
