# Model, optimizer and scheduler, and training goes on
# offered: yes
# about: {"name": "state"}
# fails: loss = model(x).square().mean()
# %%
import io

import torch

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)


def build():
    model = torch.nn.Linear(3, 1)
    opt = torch.optim.Adam(model.parameters(), lr=0.1)
    return model, opt, torch.optim.lr_scheduler.StepLR(opt, 1)


def train(model, opt, sched, steps):
    for x in torch.ones(steps, 2, 3):
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    return loss.item()


model, opt, sched = build()
train(model, opt, sched, 2)
disk = io.BytesIO()
torch.save(dict(model=model.state_dict(), opt=opt.state_dict(), sched=sched.state_dict(), step=2), disk)
# %%
disk.seek(0)
state = torch.load(disk, weights_only=False)
model, opt, sched = build()
model.load_state_dict(state["model"])
opt.load_state_dict(state["opt"])
sched.load_state_dict(state["sched"])
step = state["step"]
del state
# %%
print(step, train(model, opt, sched, 3))
