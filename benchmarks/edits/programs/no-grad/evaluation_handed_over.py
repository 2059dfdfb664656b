# `evaluate` goes into a loop of somebody else's, which goes backward
# offered: no
# because: the function is passed on, and trained with there
# about: {}
# fails: return loss_fn(model(x), y)
# %%
import torch

torch.manual_seed(12)
torch.set_default_dtype(torch.float64)
model = torch.nn.Linear(3, 1)
loss_fn = torch.nn.MSELoss()


def loop(objective, data, optimizer=None):
    values = []
    for x, y in data:
        value = objective(x, y)
        if optimizer is not None:
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
        values.append(float(value))
    return values


# %%
def evaluate(x, y):
    return loss_fn(model(x), y)


# %%
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
before = loop(evaluate, data)
fitted = loop(evaluate, data, torch.optim.SGD(model.parameters(), lr=0.1))
print(before, fitted)
