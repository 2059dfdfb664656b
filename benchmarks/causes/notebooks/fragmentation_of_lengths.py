# Features of clips of many lengths are cached while the clips grow
#
# cause: fragmentation
# also: kept-tensors
# edit: no
# remedy: expandable-segments, keep-numbers
# gpu: 8GiB
# fails: hidden = net(clip)
# source: https://github.com/pytorch/pytorch/issues/35901

# %%
import torch
import torch.nn as nn

net = nn.Sequential(nn.Conv1d(80, 512, 3, padding=1), nn.ReLU()).cuda().eval()

# %%
# every clip is a little longer than the one before; the summary of each is kept
summaries = []
with torch.no_grad():
    for step in range(190):
        frames = 20_000 + 2_500 * step
        clip = torch.randn(1, 80, frames, device="cuda")
        hidden = net(clip)
        summaries.append(hidden[..., : frames // 24].clone())
