# A Lightning module that steps by itself
# offered: no
# because: with manual optimization the trainer's flag is refused by Lightning, or does nothing
# about: {"batch": "batch_size", "value": 4}
# fails: trainer.fit(model, loader)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)

class pl:
    class LightningModule(nn.Module):
        automatic_optimization = True
    class Trainer:
        def __init__(self, max_epochs=1, accumulate_grad_batches=1):
            self.max_epochs, self.every = max_epochs, accumulate_grad_batches
        def fit(self, model, loader):
            model.opt = model.configure_optimizers()
            for _ in range(self.max_epochs):
                for n, batch in enumerate(loader):
                    model.training_step(batch, n)
# %%
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.layer = nn.Linear(4, 1)
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.layer(x), y)
        self.opt.zero_grad(); loss.backward(); self.opt.step()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
# %%
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
model = Model()
trainer = pl.Trainer(max_epochs=2)
trainer.fit(model, loader)
