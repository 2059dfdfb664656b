# The decoder that is trained has the weight of the embedding
# offered: no
# because: the backbone's weight is the head's, which an optimizer trains
# about: {"name": "body", "trained": []}
# fails: h = body(tokens)
# %%
import torch
from torch import nn

torch.manual_seed(10)
torch.set_default_dtype(torch.float64)
# %%
body = nn.Sequential(nn.Embedding(10, 6), nn.Linear(6, 6))
head = nn.Linear(6, 10, bias=False)
head.weight = body[0].weight
opt = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for tokens in torch.randint(0, 10, (6, 4)).split(2):
    h = body(tokens)
    loss = nn.functional.cross_entropy(head(h).flatten(0, 1), tokens.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(head.weight.sum().item())
