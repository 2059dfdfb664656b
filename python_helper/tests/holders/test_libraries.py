"""Objects of the libraries that people train with, at the bytes that their weights have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.holders.conftest import sizes

if TYPE_CHECKING:
    from tests.holders.conftest import Measure

SMALL = "n_layer=2, n_embd=256, n_head=4, vocab_size=8192, n_positions=256"
WEIGHTS = 4 * (8192 * 256 + 256 * 256 + 2 * (12 * 256 * 256 + 13 * 256) + 2 * 256)
HUGGING_FACE = f"""
from transformers import GPT2Config, GPT2LMHeadModel
model = GPT2LMHeadModel(GPT2Config({SMALL})).cuda()
"""


def close(size: int, theory: int) -> bool:
    """Whether a size is that of theory but for rounding, and blocks that are a little larger."""
    return theory <= size <= 1.05 * theory


def test_names_a_model_of_hugging_face(measure: Measure) -> None:
    """Parameters once, though input and output share them; the outputs of a step by their name."""
    account = measure(
        HUGGING_FACE + "tokens = torch.randint(8192, (2, 128), device='cuda')\n"
        "with torch.no_grad(): output = model(tokens, use_cache=True)"
    )
    found = sizes(account)
    logits, cache = 2 * 128 * 8192 * 4, 2 * 2 * 2 * 128 * 256 * 4
    assert close(found["model"], WEIGHTS)
    assert close(found["output"], logits + cache)


def test_looks_into_a_trainer(measure: Measure) -> None:
    """What a Trainer has made itself is the Trainer's: the state of its optimizer."""
    account = measure(
        HUGGING_FACE + "model.train()\n"
        "class Trainer:\n    def __init__(self, model):\n"
        "        self.model = self.model_wrapped = model\n"
        "        self.callback_handler = type('Handler', (), {})()\n"
        "        self.callback_handler.optimizer = torch.optim.AdamW(model.parameters())\n"
        "trainer = Trainer(model)\n"
        "model(torch.randint(8192, (2, 64), device='cuda')).logits.sum().backward()\n"
        "trainer.callback_handler.optimizer.step()"
    )
    found = sizes(account)
    assert close(found["model"], 2 * WEIGHTS)
    assert close(found["trainer"], 2 * WEIGHTS)
    (model,) = (row for row in account.devices[0].rows if row.name == "model")
    assert "trainer" in model.aliases


def test_looks_into_a_module_of_lightning(measure: Measure) -> None:
    """A LightningModule is a module; what it logged or kept beside is its own."""
    account = measure(
        "import lightning\n"
        "class Model(lightning.LightningModule):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear(1024, 1024); self.outputs = []\n"
        "model = Model().cuda()\nmodel.outputs.append(tensor(8))"
    )
    assert sizes(account) == {"model": 4 * 1024 * 1024 + 4 * 1024 + 8 * 2**20}
