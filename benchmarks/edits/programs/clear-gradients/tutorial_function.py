# The train function of the tutorial: prints every second batch
# offered: yes
# about: {}
# fails: pred = model(X)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
training_data = TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,)))
train_dataloader = DataLoader(training_data, batch_size=10)
device = "cpu"
class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear_relu_stack = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    def forward(self, x):
        logits = self.linear_relu_stack(x)
        return logits
model = NeuralNetwork().to(device)
# %%
def train(dataloader, model, loss_fn, optimizer):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        X, y = X.to(device), y.to(device)
        # Compute prediction error
        pred = model(X)
        loss = loss_fn(pred, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if batch % 2 == 0:
            loss, current = loss.item(), (batch + 1) * len(X)
            print(f"loss: {loss:>7f}  [{current:>5d}/{size:>5d}]")
# %%
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)
for t in range(2):
    train(train_dataloader, model, nn.CrossEntropyLoss(), optimizer)
