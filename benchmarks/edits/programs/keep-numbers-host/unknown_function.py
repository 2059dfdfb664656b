# What was kept goes to a function that was handed over
# offered: no
# because: metric may do anything
# about: {"name": "outs"}
# fails: outs.append(net(x))
# %%
import torch
net = torch.nn.Linear(2, 2).cuda()

def evaluate(metric, xs):
    outs = []
    for x in xs:
        outs.append(net(x))
    return metric(outs)

center = torch.zeros(2).cuda()
# %%
far = evaluate(lambda values: max((v - center).norm().item() for v in values), torch.ones(3, 4, 2).cuda())
