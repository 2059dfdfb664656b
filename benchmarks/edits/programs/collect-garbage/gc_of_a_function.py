# A function has a parameter gc and reads no other
# offered: no
# because: gc stands for gradient clipping
# fails: net = torch.nn.Linear(2, 1)
# %%
import torch

def train(net, gc=1.0):
    net(torch.ones(1, 2)).sum().backward()
    return torch.nn.utils.clip_grad_norm_(net.parameters(), gc).item()
# %%
for n in range(2):
    net = torch.nn.Linear(2, 1)
    train(net)
