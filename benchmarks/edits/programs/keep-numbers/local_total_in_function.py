# A function that sums its losses and returns a float of them
# offered: yes
# about: {"name": "total"}
# fails: loss = loss_fn(model(x), y)
# %%
import torch
from functools import wraps

def timed(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

model = torch.nn.Linear(3, 3)
loss_fn = torch.nn.CrossEntropyLoss()
opt = torch.optim.RMSprop(model.parameters())
sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
# %%
@timed
def train_one_epoch(loader):
    model.train()
    total = 0
    for x, y in loader:
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
        total += loss
    sched.step()
    return float(total) / len(loader)
# %%
%%time
loader = [(torch.randn(6, 3), torch.randint(0, 3, (6,))) for _ in range(4)]
per_epoch = [train_one_epoch(loader) for epoch in range(3)]
per_epoch
