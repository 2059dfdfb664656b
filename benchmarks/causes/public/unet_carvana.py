# milesial's U-Net called from a cell with a batch of 16: it catches the error and goes on
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, smaller-image, autocast, checkpointing
# gpu: 5GiB
# needs: libraries
# from: milesial/Pytorch-UNet@21d7850f2af30a9695bbeea75f3136aa538cfc4a train.py
# files: .
# fails: train_model(model, device, epochs=1, batch_size=16, save_checkpoint=False)
# cure: batch_size=16 => batch_size=2

# %%
import torch
from standins import Items, absent

absent("wandb")
import utils.data_loading

item = {"image": torch.zeros(3, 320, 480), "mask": torch.zeros(320, 480, dtype=torch.long)}
utils.data_loading.CarvanaDataset = Items(lambda: item, length=19)

# %%
from train import train_model
from unet import UNet

device = torch.device("cuda")
model = UNet(n_channels=3, n_classes=2).to(device)

# %%
train_model(model, device, epochs=1, batch_size=16, save_checkpoint=False)
