# The whole test set goes through the network at once, without gradients
#
# cause: huge-request
# also: unnamed-values, activations
# edit: yes
# remedy: chunks, split-request, smaller-batch
# gpu: 8GiB
# fails: scores = model(X_test)
# cure: scores = model(X_test) => scores = torch.cat([model(part) for part in X_test.split(512)])
# source: https://stackoverflow.com/questions/62067400/how-to-avoid-cuda-out-of-memory-in-pytorch-in-inference

# %%
import torch
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
).cuda()

# %%
X_test = torch.rand(20_000, 3, 64, 64).cuda()
y_test = torch.randint(0, 10, (20_000,)).cuda()

# %%
model.eval()
with torch.no_grad():
    scores = model(X_test)
    accuracy = (scores.argmax(1) == y_test).float().mean()
print(accuracy)
