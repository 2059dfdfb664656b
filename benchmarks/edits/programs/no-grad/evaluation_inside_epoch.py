# Training and validation in one loop, with a scheduler that looks at the validation
# offered: yes
# about: {}
# fails: val_loss += criterion(model(inputs), targets).item()
# %%
import torch
from torch import nn

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
train_loader, val_loader = data[:4], data[4:]
model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)

# %%
best = float("inf")
for epoch in range(1, 4):
    model.train()
    for i, (inputs, targets) in enumerate(train_loader, start=1):
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    model.eval()
    val_loss = 0
    for inputs, targets in val_loader:
        val_loss += criterion(model(inputs), targets).item()
    scheduler.step(val_loss / len(val_loader))
    if val_loss < best:
        best = val_loss
    print(epoch, round(val_loss, 6), optimizer.param_groups[0]["lr"])
