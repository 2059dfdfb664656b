# A nested function adds to the sum of the function around it, which trains
# offered: no
# because: total goes backward in the outer function
# about: {"name": "total"}
# fails: total = total + net(x).abs().mean()
# %%
import torch
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

def step(batches):
    total = torch.zeros(())

    def add(x):
        nonlocal total
        total = total + net(x).abs().mean()

    for x in batches:
        add(x)
    opt.zero_grad()
    total.backward()
    opt.step()
# %%
for batches in torch.randn(3, 2, 4, 3):
    step(batches)
