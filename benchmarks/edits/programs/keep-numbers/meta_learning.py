# MAML: losses of the inner loop go into the outer one by autograd.grad
# offered: no
# because: gradients are asked of the stack of outer losses
# about: {"name": "outer"}
# fails: outer.append(task_loss(fast, x))
# %%
import torch
w = torch.full((3,), 0.5, requires_grad=True)

def task_loss(weights, x):
    return ((x * weights).sum(1) - 1).pow(2).mean()
# %%
history = []
for step in range(3):
    outer = []
    for x in torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(step)):
        inner = task_loss(w, x)
        fast = w - 0.1 * torch.autograd.grad(inner, w, create_graph=True)[0]
        outer.append(task_loss(fast, x))
    (grad,) = torch.autograd.grad(torch.stack(outer).mean(), w)
    with torch.no_grad():
        w -= 0.1 * grad
    history.append(w.norm().item())
