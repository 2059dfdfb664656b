# Adaptation at test time: each test batch makes a step
# offered: no
# because: a function that the loop calls trains on what the model gave
# about: {}
# fails: out = net(xb)
# %%
import torch
from torch import nn

torch.manual_seed(15)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 3))
opt = torch.optim.SGD(net[1].parameters(), lr=0.1)
stream = torch.randn(12, 4).split(4)


def sharpen(out):
    p = out.softmax(-1)
    entropy = -(p * p.log()).sum(-1).mean()
    opt.zero_grad()
    entropy.backward()
    opt.step()
    return entropy.item()


# %%
answers, entropies = [], []
for xb in stream:
    out = net(xb)
    entropies.append(sharpen(out))
    answers.extend(out.argmax(-1).tolist())
print(answers, entropies)
