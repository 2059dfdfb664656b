# Super-resolution of one large picture, without no_grad
#
# cause: evaluation-with-gradients
# also: activations
# edit: yes
# remedy: no-grad, chunks, half-inference, smaller-image
# gpu: 8GiB
# fails: sr = model(lr_image)
# cure: sr = model(lr_image) => with torch.inference_mode():\n    sr = model(lr_image)
# source: https://github.com/LiZizun/WinT3R/issues/1

# %%
import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1))

    def forward(self, x):
        return x + 0.1 * self.body(x)


model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), *[Residual(64) for _ in range(8)],
    nn.Conv2d(64, 3 * 4, 3, padding=1), nn.PixelShuffle(2),
).cuda()
model.eval()

# %%
lr_image = torch.rand(1, 3, 1080, 1920).cuda()
sr = model(lr_image)
print(sr.shape)
