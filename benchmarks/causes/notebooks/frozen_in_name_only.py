# Only the head is in the optimizer, but the backbone was never frozen
#
# cause: activations
# what: batch
# edit: yes
# remedy: freeze-backbone, no-grad, smaller-batch
# gpu: 8GiB
# fails: feats = backbone(x)
# cure: backbone = make_backbone().to(device) => backbone = make_backbone().to(device).requires_grad_(False)
# source: https://pytorch.org/tutorials/beginner/transfer_learning_tutorial.html

# %%
import torch
from torch import nn

device = torch.device("cuda")


def make_backbone():
    layers, cin = [], 3
    for cout in (64, 128, 256, 512):
        layers += [nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.GELU(), nn.MaxPool2d(2)]
        cin = cout
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())


# %%
backbone = make_backbone().to(device)
head = nn.Linear(512, 2).to(device)
# transfer learning: only the new layer learns
optimizer = torch.optim.SGD(head.parameters(), lr=1e-3, momentum=0.9)

# %%
for x, y in [(torch.rand(96, 3, 224, 224), torch.randint(0, 2, (96,)))] * 3:
    x, y = x.to(device), y.to(device)
    feats = backbone(x)
    loss = nn.functional.cross_entropy(head(feats), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
