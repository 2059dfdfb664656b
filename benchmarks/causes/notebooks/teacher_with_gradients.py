# Distillation in which the teacher's forward builds a graph, too
#
# cause: evaluation-with-gradients
# also: activations, kept-copies
# edit: yes
# remedy: no-grad, smaller-batch, autocast
# gpu: 8GiB
# fails: t_logits = teacher(images)
# cure: t_logits = teacher(images) => with torch.no_grad():\n        t_logits = teacher(images)
# source: https://github.com/fadel/pytorch_ema/issues/1

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_net(width, depth):
    layers = [nn.Conv2d(3, width, 3, padding=1), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 100))


teacher = make_net(128, 10).cuda().eval()
student = make_net(32, 4).cuda()
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
T = 4.0

# %%
BATCH_SIZE = 1024
images = torch.rand(BATCH_SIZE, 3, 32, 32, device="cuda")
labels = torch.randint(0, 100, (BATCH_SIZE,), device="cuda")

# %%
for it in range(10):
    s_logits = student(images)
    t_logits = teacher(images)
    kd = F.kl_div(
        F.log_softmax(s_logits / T, 1), F.softmax(t_logits / T, 1), reduction="batchmean"
    ) * T * T
    loss = 0.5 * kd + 0.5 * F.cross_entropy(s_logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
