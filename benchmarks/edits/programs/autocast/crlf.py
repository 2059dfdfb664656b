# Windows line ends
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: y_hat = model(x)
# %%
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(3, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.L1Loss()
data = [(torch.randn(4, 3), torch.randn(4, 2)) for _ in range(3)]
# %%
for n, (x, y) in enumerate(data):
    y_hat = model(x)
    loss = loss_fn(y_hat, y)
    opt.zero_grad()
    loss.backward()  # größer
    opt.step()
    if n % 2 == 0:
        print(f"{loss.item():.0f}")
