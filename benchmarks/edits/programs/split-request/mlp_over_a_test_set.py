# All of a test set through a net at once, in evaluation mode
# offered: yes
# about: {"way": "predicted", "model": "net", "rows": 8}
# fails: logits = net(X_test)
# %%
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
net.eval()
X_test, y_test = torch.randn(50, 5), torch.randint(0, 3, (50,))
# %%
with torch.no_grad():
    logits = net(X_test)
print((logits.argmax(1) == y_test).double().mean().item())
