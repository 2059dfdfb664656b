# What was kept goes to a callback that somebody registered
# offered: no
# because: who is called with it cannot be told
# about: {"name": "chunk"}
# fails: chunk.append(model(x).mean())
# %%
import torch
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
callbacks = []

def on_chunk(function):
    callbacks.append(function)
    return function

@on_chunk
def learn(values):
    opt.zero_grad()
    torch.stack(values).pow(2).sum().backward()
    opt.step()
# %%
chunk = []
for x in torch.randn(6, 4, 3):
    chunk.append(model(x).mean())
    if len(chunk) == 3:
        for callback in callbacks:
            callback(chunk)
        chunk = []
