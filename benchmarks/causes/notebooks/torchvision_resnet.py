# ResNet-50 from torchvision with a batch of 256
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 16GiB
# needs: libraries
# fails: output = model(images)
# cure: "--batch-size", default=256 => "--batch-size", default=64
# source: https://github.com/pytorch/examples/blob/main/imagenet/main.py

# %%
import argparse

import torch
import torchvision

parser = argparse.ArgumentParser(description="PyTorch ImageNet Training")
parser.add_argument("-a", "--arch", default="resnet50")
parser.add_argument("-b", "--batch-size", default=256, type=int)
parser.add_argument("--lr", default=0.1, type=float)
parser.add_argument("--epochs", default=1, type=int)
args = parser.parse_args([])

# %%
model = torchvision.models.get_model(args.arch).cuda()
criterion = torch.nn.CrossEntropyLoss().cuda()
optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)

# %%
for epoch in range(args.epochs):
    model.train()
    for i in range(2):
        images = torch.zeros(args.batch_size, 3, 224, 224).cuda(non_blocking=True)
        target = torch.zeros(args.batch_size, dtype=torch.long).cuda(non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
