# The pipeline's cell is run again under another name, for a second scheduler
#
# cause: kept-copies
# edit: yes
# remedy: delete-leftovers, offload, half-inference
# gpu: 4GiB
# needs: libraries
# fails: pipe_ddim = make_pipeline(DDIMScheduler())
# cure: pipe_ddim = make_pipeline(DDIMScheduler()) => pipe_ddim = DDIMPipeline(unet=pipe.unet, scheduler=DDIMScheduler())
# source: https://github.com/ShivamShrirao/diffusers/issues/45

# %%
import torch
from diffusers import DDIMPipeline, DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DModel


def make_pipeline(scheduler):
    with torch.device("cuda"):
        unet = UNet2DModel(
            sample_size=64, in_channels=3, out_channels=3, layers_per_block=2,
            block_out_channels=(384, 768, 1536), down_block_types=("DownBlock2D",) * 3,
            up_block_types=("UpBlock2D",) * 3,
        )
    kind = DDIMPipeline if isinstance(scheduler, DDIMScheduler) else DDPMPipeline
    return kind(unet=unet, scheduler=scheduler)


# %%
pipe = make_pipeline(DDPMScheduler())

# %%
pipe_ddim = make_pipeline(DDIMScheduler())
with torch.no_grad():
    sample = torch.randn(1, 3, 64, 64, device="cuda")
    print(pipe_ddim.unet(sample, 10).sample.shape)
