# A small net for images, with batch normalisation, moved to a device
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: preds = net(images)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
device = torch.device("cpu")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(4 * 16, 5)

    def forward(self, x):
        x = self.features(x)
        x = x.flatten(1)
        return self.head(x)
net = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
batches = [(torch.randn(6, 1, 8, 8), torch.randint(0, 5, (6,))) for _ in range(3)]
# %%
from tqdm import tqdm
running = 0.0
for images, labels in tqdm(batches, disable=True):
    images, labels = images.to(device), labels.to(device)
    optimizer.zero_grad()
    preds = net(images)
    loss = criterion(preds, labels)
    loss.backward()
    optimizer.step()
    running += loss.item() * labels.size(0)
