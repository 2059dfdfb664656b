# Sliding windows over a CT: the stitched result of 104 classes is on the GPU
#
# cause: huge-request
# edit: no
# remedy: keep-numbers, chunks
# gpu: 16GiB
# fails: seg = sliding_window(net, ct, classes=104)
# source: https://github.com/Project-MONAI/MONAI/issues/6427

# %%
import torch
from torch import nn

net = nn.Sequential(nn.Conv3d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv3d(8, 104, 1)).cuda().eval()


@torch.inference_mode()
def sliding_window(net, volume, classes, roi=96):
    _, _, D, H, W = volume.shape
    out = torch.zeros(1, classes, D, H, W, device=volume.device)
    count = torch.zeros(1, 1, D, H, W, device=volume.device)
    for z in range(0, D - roi + 1, roi):
        for y in range(0, H - roi + 1, roi):
            patch = volume[:, :, z:z + roi, y:y + roi, :roi]
            out[:, :, z:z + roi, y:y + roi, :roi] += net(patch)[:, :classes]
            count[:, :, z:z + roi, y:y + roi, :roi] += 1
    return (out / count.clamp(min=1)).argmax(1)


# %%
ct = torch.rand(1, 1, 448, 320, 320, device="cuda")
seg = sliding_window(net, ct, classes=104)
