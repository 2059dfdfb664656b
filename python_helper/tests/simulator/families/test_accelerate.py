"""Hugging Face Accelerate on the simulated card: Accelerator, and its memory functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.simulator.families.conftest import Notebook

TRAIN = """
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.utils import set_seed
set_seed(0)
features = torch.randn(128, 16)
dataset = torch.utils.data.TensorDataset(features, features[:, :4].argmax(1))
folder = tempfile.TemporaryDirectory()

def train(accelerator):
    loader = torch.utils.data.DataLoader(dataset, batch_size=32)
    model = nn.Sequential(nn.Linear(16, 4096), nn.ReLU(), nn.Linear(4096, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for _ in range(4):
        for batch, classes in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(batch), classes)
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
    return model, optimizer, losses
"""


@pytest.mark.parametrize(
    "options",
    ["", "mixed_precision='fp16'", "mixed_precision='bf16'", "gradient_accumulation_steps=2"],
)
def test_accelerator_trains(notebook: Notebook, options: str) -> None:
    """The loss falls, AdamW's states stay, and what is saved can be loaded again."""
    notebook.run(TRAIN)
    notebook.run(f"""
AcceleratorState._reset_state(True)
accelerator = Accelerator({options})
model, optimizer, losses = train(accelerator)
accelerator.save_state(folder.name)
accelerator.load_state(folder.name)
""")
    device, losses = notebook.value("str(accelerator.device), losses")
    assert device == "cuda"
    if notebook.has_values:
        assert losses[-1] < 0.9 * losses[0]
    parameters, held = notebook.value("size(model.parameters()), in_use()")
    scaler = 2 * 512
    assert 3 * parameters <= held <= 3 * parameters + scaler
    assert notebook.explained() >= 0.99
    notebook.run("accelerator.free_memory()\ndel model, optimizer, accelerator")
    notebook.run("gc.collect()")
    assert notebook.value("in_use()") == 0
