# A wide perceptron fed by a DataLoader with a batch of 1024
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, accumulate, autocast, checkpointing
# gpu: 4GiB
# fails: loss.backward()
# cure: batch_size=1024 => batch_size=256
# source: https://taourl.com/read-1942577.html

# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
X = torch.randn(4096, 1024)
y = torch.randint(0, 10, (4096,))
train_loader = DataLoader(TensorDataset(X, y), batch_size=1024, shuffle=True)

# %%
layers = [nn.Linear(1024, 16384), nn.ReLU()]
for _ in range(24):
    layers += [nn.Dropout(0.1), nn.LayerNorm(16384), nn.GELU()]
layers.append(nn.Linear(16384, 10))
model = nn.Sequential(*layers).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_fn = nn.CrossEntropyLoss()

# %%
for epoch in range(1):
    for x, target in train_loader:
        x, target = x.to(device), target.to(device)
        out = model(x)
        loss = loss_fn(out, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
