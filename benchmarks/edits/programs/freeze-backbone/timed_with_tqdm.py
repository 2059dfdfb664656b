# A timed cell with a bar, a scheduler and an average of the losses
# offered: yes
# about: {"name": "features", "trained": []}
# fails: z = features(x)
# %%
import torch
from tqdm import tqdm

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
# %%
features = torch.nn.Sequential(torch.nn.Linear(3, 10), torch.nn.Tanh())
classifier = torch.nn.Linear(10, 2)
opt = torch.optim.SGD(classifier.parameters(), lr=0.5)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.5, total_steps=6)
# %%
%%time
running = 0.0
for x in tqdm(torch.randn(24, 3).split(4), disable=True):
    z = features(x)
    loss = torch.nn.functional.cross_entropy(classifier(z), (x[:, 0] > 0).long())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sched.step()
    running = 0.9 * running + 0.1 * loss.item()
print(running, sched.get_last_lr())
