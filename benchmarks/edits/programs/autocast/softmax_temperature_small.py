# A temperature near nothing
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: logits = model(x) / 1e-4
# %%
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
# %%
for x, y in [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(3)]:
    logits = model(x) / 1e-4
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.2f}")
