# Another program holds a third of the GPU; the batch would not fit an empty one either
#
# cause: activations
# also: other-programs
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 16GiB outside 5GiB
# fails: train_one_epoch(model, optimizer)
# cure: default=256 => default=64
# source: https://github.com/pytorch/pytorch/issues/16417

# %%
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=256)
parser.add_argument("--img-size", type=int, default=320)
parser.add_argument("--epochs", type=int, default=3)
opt = parser.parse_args([])


# %%
class Darknet(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, cin = [], 3
        for cout in (32, 64, 128, 256):
            blocks += [nn.Conv2d(cin, cout, 3, 2, 1), nn.BatchNorm2d(cout), nn.SiLU()]
            for _ in range(3):
                blocks += [nn.Conv2d(cout, cout, 3, 1, 1), nn.BatchNorm2d(cout), nn.SiLU()]
            cin = cout
        self.backbone = nn.Sequential(*blocks)
        self.detect = nn.Conv2d(cin, 255, 1)

    def forward(self, x):
        return self.detect(self.backbone(x))


def train_one_epoch(model, optimizer):
    for _ in range(8):
        imgs = torch.rand(opt.batch_size, 3, opt.img_size, opt.img_size, device="cuda")
        loss = model(imgs).sigmoid().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %%
model = Darknet().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
train_one_epoch(model, optimizer)
