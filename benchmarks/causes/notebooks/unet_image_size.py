# A U-Net on images of 1024 pixels with a batch of two
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, autocast, checkpointing, smaller-batch
# gpu: 8GiB
# fails: pred = unet(img)
# cure: IMG_SIZE = 1024 => IMG_SIZE = 448
# source: https://github.com/milesial/Pytorch-UNet/issues/175

# %%
import torch
import torch.nn as nn

IMG_SIZE = 1024
BATCH_SIZE = 2


class DoubleConv(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        )


class UNet(nn.Module):
    def __init__(self, base=64):
        super().__init__()
        self.d1, self.d2, self.d3 = DoubleConv(3, base), DoubleConv(base, 2 * base), DoubleConv(2 * base, 4 * base)
        self.u2, self.u1 = DoubleConv(6 * base, 2 * base), DoubleConv(3 * base, base)
        self.pool, self.up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(base, 1, 1)

    def forward(self, x):
        x1 = self.d1(x)
        x2 = self.d2(self.pool(x1))
        x3 = self.d3(self.pool(x2))
        x = self.u2(torch.cat([self.up(x3), x2], 1))
        return self.out(self.u1(torch.cat([self.up(x), x1], 1)))


# %%
unet = UNet().cuda()
optimizer = torch.optim.RMSprop(unet.parameters(), lr=1e-5)
bce = nn.BCEWithLogitsLoss()

# %%
for _ in range(2):
    img = torch.rand(BATCH_SIZE, 3, IMG_SIZE, IMG_SIZE).to("cuda")
    mask = torch.rand(BATCH_SIZE, 1, IMG_SIZE, IMG_SIZE).to("cuda")
    pred = unet(img)
    loss = bce(pred, mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
