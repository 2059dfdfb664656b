# The losses of all domains are summed up and go backward at once
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: accumulate
# gpu: 6GiB
# fails: step_all(domains)
# cure: total_loss = 0.0 => [each.grad.zero_() for each in net.parameters() if each.grad is not None]
# cure: total_loss += loss_fn(net(x), y) => (loss_fn(net(x), y) / len(domains)).backward()
# cure: optimizer.zero_grad()\n    (total_loss / len(domains)).backward() => pass
# source: https://github.com/facebookresearch/DomainBed/issues/24

# %%
import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 40),
).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()


# %%
def step_all(domains):
    total_loss = 0.0
    for x, y in domains:
        x, y = x.cuda(), y.cuda()
        total_loss += loss_fn(net(x), y)
    optimizer.zero_grad()
    (total_loss / len(domains)).backward()
    optimizer.step()
    return len(domains)


# %%
domains = [(torch.rand(32, 3, 224, 224), torch.randint(0, 40, (32,))) for _ in range(8)]
step_all(domains)
