# Noise in the shape of what was kept is drawn on its device
# offered: no
# because: the host draws other random numbers than the card
# about: {"name": "latents"}
# fails: latents.append(enc(x))
# %%
import torch
torch.manual_seed(4)
enc = torch.nn.Linear(3, 2).cuda()
latents = []
with torch.no_grad():
    for x in torch.randn(3, 4, 3).cuda():
        latents.append(enc(x))
# %%
noisy = [z.cpu() + 0.1 * torch.randn_like(z).cpu() for z in latents]
total = torch.cat(noisy).sum().item()
