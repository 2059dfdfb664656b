# The last frame of a video is compared with the next
# offered: yes
# about: {"name": "frames"}
# fails: frames.append(blur(x))
# %%
import torch
from tqdm.auto import tqdm
blur = torch.nn.AvgPool2d(3, 1, 1)
frames = [torch.zeros(1, 4, 4)]
moved = []
# %%
for x in tqdm(torch.arange(5 * 16.0).view(5, 1, 4, 4)):
    moved.append((x - frames[-1]).abs().mean().item())
    frames.append(blur(x))
# %%
print(max(moved))
