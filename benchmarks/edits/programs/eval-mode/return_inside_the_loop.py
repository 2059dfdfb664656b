# An evaluation that stops early with `return`
# offered: yes
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch

torch.manual_seed(2)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0), torch.nn.Linear(4, 1))
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(12, 4).split(3)
modes = []


# %%
def test_some(limit):
    seen = 0
    for x in data:
        out = model(x)
        seen += len(out)
        if seen >= limit:
            return seen
    return seen


# %%
for step, x in enumerate(data):
    modes.append(model.training)
    loss = model(x).square().mean()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    if step % 2 == 0:
        print(test_some(5))
print(modes, model.training)
