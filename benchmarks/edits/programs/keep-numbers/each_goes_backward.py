# Each of the kept losses goes backward in a loop of its own
# offered: no
# because: for each in losses: each.backward()
# about: {"name": "losses"}
# fails: losses.append(head(features).square().mean())
# %%
import torch
torch.manual_seed(6)
body = torch.nn.Linear(3, 4)
heads = torch.nn.ModuleList(torch.nn.Linear(4, 1) for _ in range(3))
opt = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.1)
# %%
for x in torch.randn(2, 5, 3):
    losses = []
    features = body(x)
    for head in heads:
        losses.append(head(features).square().mean())
    opt.zero_grad()
    for n, each in enumerate(losses):
        each.backward(retain_graph=n < len(losses) - 1)
    opt.step()
