# Two nets that learn from each other: each is the other's teacher
# offered: no
# because: an optimizer trains the teacher, too
# about: {"constant": true}
# fails: p2 = second(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(16)
torch.set_default_dtype(torch.float64)
first, second = nn.Linear(5, 3), nn.Linear(5, 3).eval()
both = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.03)
batches = list(zip(torch.randn(12, 5).split(4), torch.randint(0, 3, (12,)).split(4)))
# %%
for xb, yb in batches:
    p1 = first(xb)
    p2 = second(xb)
    agree = F.kl_div(p1.log_softmax(-1), p2.softmax(-1), reduction="batchmean")
    loss = F.cross_entropy(p1, yb) + F.cross_entropy(p2, yb) + agree
    both.zero_grad()
    loss.backward()
    both.step()
print(loss.item())
