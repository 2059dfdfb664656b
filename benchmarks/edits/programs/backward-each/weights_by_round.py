# Each round weighs by its index, with a clip behind
# offered: yes
# about: {"total": "loss"}
# fails: loss = loss + w * F.mse_loss(net(x), y)
# %%
import torch, torch.nn.functional as F
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.3), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
tasks = {"a": (torch.randn(4, 3), torch.randn(4, 1)), "b": (torch.randn(4, 3), torch.randn(4, 1))}
weights = {"a": 0.3, "b": 0.7}
# %%
for step in range(3):
    opt.zero_grad()
    loss = 0
    for name, (x, y) in tasks.items():
        w = weights[name]
        loss = loss + w * F.mse_loss(net(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
print(f"{loss.item():.4f}")
