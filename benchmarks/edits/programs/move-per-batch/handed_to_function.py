# A function of the notebook gets all of it
# offered: no
# because: a function needs the whole
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: loss = (model(data[i:i + 4]) - goal[i:i + 4]).pow(2).mean()
# %%
import torch

def fit(model, data, goal):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(0, len(data), 4):
        loss = (model(data[i:i + 4]) - goal[i:i + 4]).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
# %%
X, y = torch.randn(8, 2), torch.randn(8, 1)
X, y = X.cuda(), y.cuda()
last = fit(torch.nn.Linear(2, 1).cuda(), X, y)
