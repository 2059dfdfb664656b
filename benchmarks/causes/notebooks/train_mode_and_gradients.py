# A test loop that says neither eval nor no_grad, over a test batch of thousands
#
# cause: evaluation-with-gradients
# also: evaluation-in-training-mode, activations
# edit: yes
# remedy: no-grad, eval-mode, smaller-batch
# gpu: 3GiB
# fails: test_acc += (mlp(data.to(device)).argmax(1) == target.to(device)).sum()
# cure: for data, target in test_loader: => torch.set_grad_enabled(False)\nfor data, target in test_loader:
# source: https://openillumi.com/en/en-pytorch-cuda-oom-fix-no-grad

# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

params = {"batch_size": 64, "test_batch_size": 10000, "width": 4096, "layers": 16}
device = torch.device("cuda")

# %%
blocks = [nn.Flatten(), nn.Linear(784, params["width"])]
for _ in range(params["layers"]):
    blocks += [nn.ReLU(), nn.Dropout(0.2)]
mlp = nn.Sequential(*blocks, nn.Linear(params["width"], 10)).to(device)

train_loader = DataLoader(TensorDataset(torch.rand(640, 1, 28, 28), torch.zeros(640, dtype=torch.long)), batch_size=params["batch_size"])
test_loader = DataLoader(TensorDataset(torch.rand(10000, 1, 28, 28), torch.zeros(10000, dtype=torch.long)), batch_size=params["test_batch_size"])

# %%
opt = torch.optim.SGD(mlp.parameters(), lr=0.1)
for data, target in train_loader:
    opt.zero_grad()
    nn.functional.cross_entropy(mlp(data.to(device)), target.to(device)).backward()
    opt.step()

# %%
test_acc = 0
for data, target in test_loader:
    test_acc += (mlp(data.to(device)).argmax(1) == target.to(device)).sum()
print(test_acc / 10000)
