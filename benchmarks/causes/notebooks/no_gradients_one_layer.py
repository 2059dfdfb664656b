# Inference without gradients where one layer's input and output fill the GPU
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, half-inference, chunks, autocast
# gpu: 3GiB
# fails: restored = net(photo)
# cure: side = 2304 => side = 1024
# source: https://github.com/xinntao/Real-ESRGAN/issues

# %%
import torch
from torch import nn

side = 2304
net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.PReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.Conv2d(64, 3, 3, padding=1)).cuda().eval()

# %%
with torch.no_grad():
    photo = torch.rand(1, 3, side, side, device="cuda")
    restored = net(photo)
