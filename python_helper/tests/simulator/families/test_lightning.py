"""Lightning on the simulated GPU: Trainer finds the GPU, in every precision, and Fabric does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulator.families.conftest import Notebook

MODEL = """
import logging
import lightning
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
lightning.seed_everything(0, verbose=False)
features = torch.randn(128, 16)
dataset = torch.utils.data.TensorDataset(features, features[:, :4].argmax(1))
loader = torch.utils.data.DataLoader(dataset, batch_size=32)

class Classifier(lightning.LightningModule):
    def __init__(self, width=64):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 4))
        self.losses = []

    def training_step(self, batch, index):
        features, classes = batch
        logits = self.net(features)
        loss = nn.functional.cross_entropy(logits, classes)
        self.losses.append(loss.item())
        self.seen = str(features.device), str(logits.dtype)
        return loss

    def on_train_batch_end(self, *_):
        self.in_use = in_use()  # after the training Lightning moves the model to the host

    def validation_step(self, batch, index):
        self.log("loss", nn.functional.cross_entropy(self.net(batch[0]).float(), batch[1]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)

folder = tempfile.TemporaryDirectory()

def train(model, **options):
    options = {"max_epochs": 5, "accelerator": "gpu", "devices": 1, **options}
    trainer = lightning.Trainer(
        logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=folder.name, **options,
    )
    trainer.fit(model, loader, loader)
    return trainer
"""


def test_a_module_on_the_gpu_is_found_under_its_name(notebook: Notebook) -> None:
    """With Fabric the model stays on the GPU; the survey names all that it holds."""
    notebook.run(MODEL)
    notebook.run("""
from lightning.fabric import Fabric
fabric = Fabric(accelerator="cuda", devices=1, precision="16-mixed")
fabric.launch()
plain = Classifier(width=4096)
model, optimizer = fabric.setup(plain.net, plain.configure_optimizers())
for features, classes in fabric.setup_dataloaders(loader):
    loss = nn.functional.cross_entropy(model(features), classes)
    fabric.backward(loss)
    optimizer.step()
""")
    parameters = notebook.value("size(model.parameters())")
    assert notebook.value("in_use()") >= 4 * parameters
    assert notebook.explained() >= 0.99
