# A closure for LBFGS that reads what the loop keeps
# offered: no
# because: the closure goes backward through the outputs
# about: {"name": "residuals"}
# fails: residuals.append(model(x) - y)
# %%
import torch
torch.manual_seed(2)
model = torch.nn.Linear(3, 1)
opt = torch.optim.LBFGS(model.parameters(), max_iter=1)
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
residuals = []

def closure():
    opt.zero_grad()
    loss = torch.cat(residuals).pow(2).mean()
    loss.backward(retain_graph=True)
    return loss
# %%
for x, y in data:
    residuals.append(model(x) - y)
opt.step(closure)
