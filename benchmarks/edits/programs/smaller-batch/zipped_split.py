# `split` of inputs and targets in step, Windows line ends
# offered: yes
# about: {"value": 9, "line": "for xs, ys in zip(X.split(9), Y.split(9)):"}
# fails: err = (reg(xs) - ys).abs().mean()
# %%
import torch
X = torch.linspace(-1, 1, 40).unsqueeze(1)
Y = X ** 2
V = X[:20]
reg = torch.nn.Sequential(torch.nn.Linear(1, 9), torch.nn.Tanh(), torch.nn.Linear(9, 1))
opt = torch.optim.Adam(reg.parameters(), lr=1e-2)
# %%
seen = 0
for epoch in range(2):
    for xs, ys in zip(X.split(9), Y.split(9)):
        err = (reg(xs) - ys).abs().mean()
        opt.zero_grad()
        err.backward()
        opt.step()
        seen += len(xs)
with torch.no_grad():
    shown = torch.cat([reg(v) for v in V.split(5)])
