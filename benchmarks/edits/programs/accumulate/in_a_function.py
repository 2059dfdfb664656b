# The loop is in a function that another cell calls for each epoch; evaluation has its own loader
# offered: yes
# about: {"batch": "batch_size", "value": 7}
# fails: logits = model(images.to(device))
# %%
%matplotlib inline
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
# %%
torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
device = torch.device("cpu")
train_data = TensorDataset(torch.randn(56, 1, 6, 6), torch.randint(0, 4, (56,)))
test_data = TensorDataset(torch.randn(20, 1, 6, 6), torch.randint(0, 4, (20,)))
train_loader = DataLoader(train_data, batch_size=28, shuffle=True, drop_last=True)
test_loader = DataLoader(test_data, batch_size=10)
# %%
class CNN(nn.Module):
    """Two layers."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = self.pool(x).flatten(1)
        return self.fc(x)
# %%
def train_one_epoch(model, criterion, optimizer):
    model.train()
    for images, labels in train_loader:
        logits = model(images.to(device))
        loss = criterion(logits, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

@torch.no_grad()
def accuracy(model):
    model.eval()
    hits = sum((model(a).argmax(1) == b).sum().item() for a, b in test_loader)
    return hits / len(test_data)
# %%
model = CNN().to(device)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    train_one_epoch(model, criterion, optimizer)
    print(epoch, accuracy(model))
