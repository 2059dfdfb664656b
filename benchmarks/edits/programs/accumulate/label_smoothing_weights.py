# Label smoothing and weights, by the function
# offered: no
# because: the weights of the classes in a batch divide its loss
# about: {"batch": "batch_size", "value": 8}
# fails: loss = F.cross_entropy(model(xb), yb, weight=w, label_smoothing=0.1)
# %%
import torch, torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
X, y = torch.randn(64, 5), torch.randint(0, 3, (64,))
w = torch.tensor([1.0, 5.0, 0.5])
model = nn.Linear(5, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
# %%
loader = DataLoader(TensorDataset(X, y), batch_size=16, shuffle=True)
for epoch in range(2):
    for xb, yb in loader:
        loss = F.cross_entropy(model(xb), yb, weight=w, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
