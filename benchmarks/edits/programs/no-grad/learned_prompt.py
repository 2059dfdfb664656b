# A prompt is learned through a frozen model
# offered: no
# because: what the frozen model is given is trained
# about: {"constant": true}
# fails: features = encoder(torch.cat([prompt.expand(len(xb), -1), xb], 1))
# %%
import torch
from torch import nn

torch.manual_seed(17)
torch.set_default_dtype(torch.float64)
encoder = nn.Sequential(nn.Linear(7, 10), nn.GELU(), nn.Linear(10, 2)).eval()
prompt = nn.Parameter(torch.zeros(1, 3))
opt = torch.optim.Adam([prompt], lr=0.1)
X, Y = torch.randn(12, 4), torch.randint(0, 2, (12,))
# %%
for xb, yb in zip(X.split(4), Y.split(4)):
    features = encoder(torch.cat([prompt.expand(len(xb), -1), xb], 1))
    loss = nn.functional.cross_entropy(features, yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(prompt.data.tolist())
