# Lightning: outputs of validation steps are kept on the module for the end of the epoch
#
# cause: kept-tensors
# also: activations
# edit: yes
# remedy: keep-numbers
# gpu: 3GiB
# needs: libraries
# fails: trainer.validate(module, val_loader, verbose=False)
# cure: self.validation_step_outputs.append(probs) => self.validation_step_outputs.append(probs.mean().cpu())
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/8453

# %%
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __len__(self):
        return 192

    def __getitem__(self, i):
        return torch.zeros(3, 256, 256)


# %%
class Segmenter(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 60, 1))
        self.validation_step_outputs = []

    def validation_step(self, batch, batch_idx):
        probs = self.net(batch).softmax(1)
        self.validation_step_outputs.append(probs)

    def on_validation_epoch_end(self):
        score = torch.stack([each.mean() for each in self.validation_step_outputs]).mean()
        self.log("score", score)
        self.validation_step_outputs.clear()


module = Segmenter()
val_loader = DataLoader(Tiles(), batch_size=16)

# %%
trainer = L.Trainer(
    accelerator="gpu", devices=1, logger=False, enable_progress_bar=False,
    enable_model_summary=False, enable_checkpointing=False,
)
trainer.validate(module, val_loader, verbose=False)
