# Training a UNet2DModel of diffusers at a resolution that is too high
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, smaller-batch, autocast, checkpointing
# gpu: 10GiB
# needs: libraries
# fails: noise_pred = unet(noisy, timesteps).sample
# cure: resolution: int = 256 => resolution: int = 128
# source: https://huggingface.co/docs/diffusers/tutorials/basic_training

# %%
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DModel


@dataclass
class TrainingConfig:
    resolution: int = 256
    train_batch_size: int = 8
    learning_rate: float = 1e-4
    steps: int = 2


config = TrainingConfig()

# %%
unet = UNet2DModel(
    sample_size=config.resolution, in_channels=3, out_channels=3, layers_per_block=2,
    block_out_channels=(64, 128, 256),
    down_block_types=("DownBlock2D", "DownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "UpBlock2D", "UpBlock2D"),
).cuda()
scheduler = DDPMScheduler(num_train_timesteps=1000)
optimizer = torch.optim.AdamW(unet.parameters(), lr=config.learning_rate)

# %%
for step in range(config.steps):
    clean = torch.rand(config.train_batch_size, 3, config.resolution, config.resolution, device="cuda")
    noise = torch.randn_like(clean)
    timesteps = torch.randint(0, 1000, (clean.shape[0],), device="cuda")
    alphas = scheduler.alphas_cumprod.cuda()[timesteps].view(-1, 1, 1, 1)
    noisy = alphas.sqrt() * clean + (1 - alphas).sqrt() * noise
    noise_pred = unet(noisy, timesteps).sample
    loss = F.mse_loss(noise_pred, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
