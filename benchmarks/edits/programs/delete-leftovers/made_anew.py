# A model and its optimizer are made anew by a cell that is run again
# offered: yes
# about: {"names": ["model", "opt"], "where": "before"}
# fails: model = torch.nn.Linear(6, 2)
# %%
import torch
torch.manual_seed(2)
# %%
model = torch.nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
loss = model(torch.ones(3, 6)).pow(2).mean()
loss.backward()
opt.step()
value = loss.item()
