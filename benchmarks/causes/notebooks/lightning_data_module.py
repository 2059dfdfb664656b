# Lightning: the batch stands in a data module
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 8GiB
# needs: libraries
# fails: trainer.fit(LitClassifier(), datamodule=dm)
# cure: dm = ImageData(batch_size=512) => dm = ImageData(batch_size=64)
# source: https://lightning.ai/docs/pytorch/stable/data/datamodule.html

# %%
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ImageData(L.LightningDataModule):
    def __init__(self, batch_size: int = 32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        self.train_set = TensorDataset(torch.zeros(1024, 3, 64, 64), torch.zeros(1024, dtype=torch.long))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)


# %%
class LitClassifier(L.LightningModule):
    def __init__(self, width: int = 64):
        super().__init__()
        blocks = [nn.Conv2d(3, width, 3, padding=1)]
        for _ in range(8):
            blocks += [nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
        self.net = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


# %%
dm = ImageData(batch_size=512)
trainer = L.Trainer(
    max_steps=2, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False,
)
trainer.fit(LitClassifier(), datamodule=dm)
