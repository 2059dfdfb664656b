# A new head on a pretrained network: the optimizer has its parameters only, the rest still trains
#
# cause: activations
# what: batch
# edit: yes
# remedy: freeze-backbone, smaller-batch, autocast
# gpu: 4GiB
# fails: output = net(image)
# cure: net.fc = nn.Linear(256, 5) => net.requires_grad_(False)\nnet.fc = nn.Linear(256, 5)
# source: https://discuss.pytorch.org/t/how-the-pytorch-freeze-network-in-some-layers-only-the-rest-of-the-training/7088

# %%
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU())
        self.stage1 = nn.Sequential(nn.Conv2d(64, 128, 3, 2, 1), nn.BatchNorm2d(128), nn.SiLU())
        self.stage2 = nn.Sequential(nn.Conv2d(128, 256, 3, 2, 1), nn.BatchNorm2d(256), nn.SiLU())
        self.fc = nn.Linear(256, num_classes)

    def forward(self, x):
        x = self.stage2(self.stage1(self.stem(x)))
        return self.fc(x.mean((2, 3)))


net = Net()
net.fc = nn.Linear(256, 5)
net = net.cuda()

# %%
params_to_update = net.fc.parameters()
optimizer = torch.optim.Adam(params_to_update, lr=1e-3)

# %%
for image, label in [(torch.rand(320, 3, 224, 224), torch.randint(0, 5, (320,)))] * 2:
    image, label = image.cuda(), label.cuda()
    output = net(image)
    loss = nn.functional.cross_entropy(output, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
