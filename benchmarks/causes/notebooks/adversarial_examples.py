# Iterative attacks keep the graph from step to step
#
# cause: retained-graph
# edit: yes
# remedy: keep-numbers
# gpu: 6GiB
# fails: adv = attack(clf, images, labels)
# cure: x_adv = x_adv + alpha * grad.sign() => x_adv = (x_adv + alpha * grad.sign()).detach().requires_grad_()
# source: https://pytorch.org/tutorials/beginner/fgsm_tutorial.html

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

clf = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 1000),
).cuda().eval()


def attack(clf, x, y, steps=40, alpha=2 / 255):
    x_adv = x.clone().requires_grad_()
    for _ in range(steps):
        loss = F.cross_entropy(clf(x_adv), y)
        grad, = torch.autograd.grad(loss, x_adv, create_graph=True)
        x_adv = x_adv + alpha * grad.sign()
        x_adv = x_adv.clamp(0, 1)
    return x_adv


# %%
images = torch.rand(16, 3, 224, 224, device="cuda")
labels = torch.randint(0, 1000, (16,), device="cuda")
adv = attack(clf, images, labels)
