# Pictures are enhanced in eight threads at once
#
# cause: several-tasks
# also: activations, unnamed-values, evaluation-with-gradients
# edit: yes
# remedy: smaller-batch
# gpu: 6GiB
# fails: sharp = list(pool.map(enhance, pictures))
# cure: Pool(8) => Pool(1)
# source: https://discuss.pytorch.org/t/using-threads-with-cuda/110561

# %%
import time
from concurrent.futures import ThreadPoolExecutor as Pool

import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(3, 64, 5, padding=2), nn.ReLU(), nn.Conv2d(64, 64, 5, padding=2), nn.ReLU(),
    nn.Conv2d(64, 3, 5, padding=2),
).cuda().eval().requires_grad_(False)
pictures = [torch.rand(1, 3, 1536, 2048) for _ in range(24)]


# %%
def enhance(picture):
    x = picture.cuda()
    for layer in net:
        x = layer(x)
        time.sleep(0.02)  # other threads get on
    return x.clamp(0, 1).cpu()


# %%
with Pool(8) as pool:
    sharp = list(pool.map(enhance, pictures))
