# Gradients of the step before stand beside the next forward pass: zero_grad comes behind it
#
# cause: model-too-large
# also: activations
# edit: yes
# remedy: zero-grad-none, accumulate, smaller-batch
# gpu: 6GiB
# fails: logits = net(x)
# cure: x = torch.randn(BATCH => opt.zero_grad()\n    x = torch.randn(BATCH
# source: https://discuss.pytorch.org/t/cuda-out-of-memory-error-in-second-iteration/45331

# %%
import torch
import torch.nn as nn

BATCH = 8192

# %%
net = nn.Sequential(
    *[m for _ in range(8) for m in (nn.Linear(8192, 8192), nn.ReLU())], nn.Linear(8192, 10)
).cuda()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

# %%
for it in range(5):
    x = torch.randn(BATCH, 8192, device="cuda")
    y = torch.randint(0, 10, (BATCH,), device="cuda")
    logits = net(x)
    loss = criterion(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
