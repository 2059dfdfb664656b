# Meta-learning: the loop that looks like an evaluation makes steps
# offered: no
# because: a function that the loop calls trains the model
# about: {"model": "net"}
# fails: before = criterion(net(x), y).item()
# %%
import torch

torch.manual_seed(14)
torch.set_default_dtype(torch.float64)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.0), torch.nn.Linear(4, 1))
criterion = torch.nn.MSELoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
tasks = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(3)]
modes = []


def adapt(x, y):
    modes.append(net.training)
    opt.zero_grad()
    criterion(net(x), y).backward()
    opt.step()


# %%
gains = []
for x, y in tasks:
    before = criterion(net(x), y).item()
    adapt(x, y)
    gains.append(before - criterion(net(x), y).item())
print(modes, gains)
