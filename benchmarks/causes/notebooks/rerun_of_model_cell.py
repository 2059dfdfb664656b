# The cell that makes model and optimizer is run again after training
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: delete-leftovers
# gpu: 6GiB
# run: 1 2 3 2!
# fails: model = Wide(8192, 6).to(device)
# cure: model = Wide => model = optimizer = x = loss = None\nmodel = Wide
# source: https://github.com/pytorch/pytorch/issues/22684

# %%
import torch
from torch import nn

device = torch.device("cuda")


class Wide(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.body = nn.Sequential(*[nn.Linear(d, d, device="cuda") for _ in range(n)])

    def forward(self, x):
        return self.body(x)


# %%
model = Wide(8192, 6).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

# %%
x = torch.randn(32, 8192, device=device)
for step in range(5):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
