# Samples of a GAN for the film of the training, kept with their graphs
#
# cause: retained-graph
# also: kept-tensors
# edit: yes
# remedy: keep-numbers, no-grad
# gpu: 4GiB
# fails: d_loss = F.softplus(netD(fake.detach())).mean() + F.softplus(-netD(real)).mean()
# cure: img_list.append(netG(fixed_noise)) => img_list.append(netG(fixed_noise).detach().cpu())
# source: https://pytorch.org/tutorials/beginner/dcgan_faces_tutorial.html

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

nz, ngf, ndf = 100, 64, 64


def up(i, o):
    return nn.Sequential(nn.ConvTranspose2d(i, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(True))


netG = nn.Sequential(
    nn.ConvTranspose2d(nz, ngf * 8, 4, 1, 0), up(ngf * 8, ngf * 4), up(ngf * 4, ngf * 2),
    up(ngf * 2, ngf), nn.ConvTranspose2d(ngf, 3, 4, 2, 1), nn.Tanh(),
).cuda()
netD = nn.Sequential(
    nn.Conv2d(3, ndf, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(ndf, ndf * 2, 4, 2, 1),
    nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(ndf * 2 * 16 * 16, 1),
).cuda()
optD = torch.optim.Adam(netD.parameters(), lr=2e-4)
optG = torch.optim.Adam(netG.parameters(), lr=2e-4)

# %%
fixed_noise = torch.randn(256, nz, 1, 1, device="cuda")
img_list, D_losses, G_losses = [], [], []
batch_size = 512

# %%
for it in range(24):
    real = torch.rand(batch_size, 3, 64, 64, device="cuda")
    fake = netG(torch.randn(batch_size, nz, 1, 1, device="cuda"))
    d_loss = F.softplus(netD(fake.detach())).mean() + F.softplus(-netD(real)).mean()
    optD.zero_grad()
    d_loss.backward()
    optD.step()
    g_loss = F.softplus(-netD(fake)).mean()
    optG.zero_grad()
    g_loss.backward()
    optG.step()
    D_losses.append(d_loss.item())
    G_losses.append(g_loss.item())
    if it % 2 == 0:
        img_list.append(netG(fixed_noise))
