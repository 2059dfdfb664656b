# Another program holds most of the GPU, and this notebook needs little
#
# cause: other-programs
# also: activations
# edit: no
# remedy: close-other-programs, smaller-batch
# gpu: 16GiB outside 14.5GiB
# fails: logits = model(images)
# source: https://stackoverflow.com/questions/54374935/how-can-i-fix-this-strange-error-runtimeerror-cuda-error-out-of-memory

# %%
import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(3, 64, 7, stride=2, padding=3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(64, 256, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000),
).cuda()

# %%
images = torch.rand(128, 3, 224, 224, device="cuda")
labels = torch.randint(0, 1000, (128,), device="cuda")

# %%
logits = model(images)
loss = nn.functional.cross_entropy(logits, labels)
loss.backward()
