# Training passes; the validation after it builds graphs with a batch four times as large
#
# cause: evaluation-with-gradients
# also: activations, loop-leftovers
# edit: yes
# remedy: no-grad, smaller-batch
# gpu: 8GiB
# fails: acc = validate(model, val_loader)
# cure: def validate( => @torch.no_grad()\ndef validate(
# source: https://stackoverflow.com/questions/54374935/how-can-i-fix-this-strange-error-runtimeerror-cuda-error-out-of-memory

# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True)
    )


class SmallVGG(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            conv_block(3, 64), conv_block(64, 64), nn.MaxPool2d(2),
            conv_block(64, 128), conv_block(128, 128), nn.MaxPool2d(2),
            conv_block(128, 256), conv_block(256, 256), nn.AdaptiveAvgPool2d(1),
        )
        self.classifier = nn.Linear(256, classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


# %%
train_ds = TensorDataset(torch.rand(512, 3, 64, 64), torch.randint(0, 10, (512,)))
val_ds = TensorDataset(torch.rand(1024, 3, 64, 64), torch.randint(0, 10, (1024,)))
train_loader = DataLoader(train_ds, batch_size=128, shuffle=True)
val_loader = DataLoader(val_ds, batch_size=512)

# %%
model = SmallVGG().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    model.train()
    for images, labels in train_loader:
        images, labels = images.cuda(), labels.cuda()
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %%
def validate(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:
        images, labels = images.cuda(), labels.cuda()
        outputs = model(images)
        correct += (outputs.argmax(1) == labels).sum().item()
    return correct / len(loader.dataset)


# %%
acc = validate(model, val_loader)
print(f"val acc {acc:.1%}")
