# An input that is improved step by step, with graphs that nobody needs afterwards
# offered: yes
# about: {"name": "x", "way": "leaf"}
# fails: g, = torch.autograd.grad(loss, x, create_graph=True)
# %%
import torch
import torch.nn.functional as F

torch.manual_seed(9)
net = torch.nn.Sequential(torch.nn.Linear(5, 10), torch.nn.ReLU(), torch.nn.Linear(10, 2))
images, labels = torch.rand(4, 5), torch.tensor([0, 1, 0, 1])

def attack(x, y, steps=4, eps=0.05):
    x = x.clone().requires_grad_()
    for _ in range(steps):
        loss = F.cross_entropy(net(x), y)
        g, = torch.autograd.grad(loss, x, create_graph=True)
        x = (x + eps * g.sign()).clamp(0, 1)
    return x.detach()
# %%
adversarial = attack(images, labels)
fooled = (net(adversarial).argmax(1) != labels).sum().item()
print(fooled)
