# Predictions of a segmentation network are collected on the GPU
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 3GiB
# fails: logits = net(img.unsqueeze(0).to(device))
# cure: preds.append(probs) => preds.append(probs.argmax(1).cpu())
# source: https://discuss.pytorch.org/t/cuda-out-of-memory-after-more-than-8000-iterators/27253

# %%
import torch
import torch.nn as nn

NUM_CLASSES = 21
device = "cuda"


class FCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.head = nn.Conv2d(64, NUM_CLASSES, 1)
        self.up = nn.Upsample(scale_factor=4, mode="bilinear")

    def forward(self, x):
        return self.up(self.head(self.enc(x)))


net = FCN().to(device).eval()

# %%
test_images = [torch.rand(3, 1024, 1024) for _ in range(8)] * 5

# %%
preds = []
with torch.no_grad():
    for i, img in enumerate(test_images):
        logits = net(img.unsqueeze(0).to(device))
        probs = logits.softmax(1)
        preds.append(probs)
