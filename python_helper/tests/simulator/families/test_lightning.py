"""Lightning on the simulated card: Trainer finds the card, in every precision, and Fabric does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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


@pytest.mark.parametrize(
    ("options", "logits"),
    [
        ("precision='32-true'", "torch.float32"),
        ("precision='16-mixed'", "torch.float16"),
        ("precision='bf16-mixed'", "torch.bfloat16"),
        ("precision='bf16-true'", "torch.bfloat16"),
        ("accumulate_grad_batches=2, gradient_clip_val=1.0", "torch.float32"),
        ("accelerator='auto', devices='auto'", "torch.float32"),
    ],
)
def test_trainer_trains(notebook: Notebook, options: str, logits: str) -> None:
    """Batches and model come to the card, the loss falls, and validation has values too."""
    notebook.run(MODEL)
    notebook.run(f"""
model = Classifier()
trainer = train(model, {options})
(validated,) = trainer.validate(model, loader, verbose=False)
trainer.save_checkpoint(folder.name + "/model.ckpt")
again = Classifier.load_from_checkpoint(folder.name + "/model.ckpt", weights_only=True)
""")
    losses, seen, validated = notebook.value("model.losses, model.seen, validated['loss']")
    assert seen == ("cuda:0", logits)
    if notebook.has_values:
        assert losses[-1] < 0.8 * losses[0]
        assert 0 < validated < losses[0]
    assert notebook.value("str(again.device), str(model.device)") == ("cpu", "cpu")


def test_a_module_on_the_card_is_found_under_its_name(notebook: Notebook) -> None:
    """With Fabric the model stays on the card; the survey names all that it holds."""
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
