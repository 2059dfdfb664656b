# A generator gives outputs to a loop that trains between them
# offered: no
# because: whoever takes the outputs trains in between
# about: {"model": "net"}
# fails: yield net(x)
# %%
import torch

torch.manual_seed(13)
torch.set_default_dtype(torch.float64)
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.0))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = torch.randn(9, 3).split(3)
modes = []


# %%
def predictions(loader):
    for x in loader:
        yield net(x)


# %%
for out in predictions(data):
    modes.append(net.training)
    opt.zero_grad()
    out.square().mean().backward()
    opt.step()
print(modes)
