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


def test_an_executable_batch_size_is_found(notebook: Notebook) -> None:
    """`find_executable_batch_size` goes on after each error until a batch fits."""
    notebook.run("""
from accelerate.utils import find_executable_batch_size
torch.cuda.set_per_process_memory_fraction(64 / 1024)
tried = []

@find_executable_batch_size(starting_batch_size=2**13)
def train(batch_size):
    tried.append(batch_size)
    model = nn.Linear(1024, 1024).cuda()
    model(torch.randn(batch_size, 1024, device="cuda")).sum().backward()
    return batch_size

found = train()
ooms = torch.cuda.memory_stats()["num_ooms"]
peak = torch.cuda.max_memory_reserved()
""")
    tried, found, ooms, peak = notebook.value("tried, found, ooms, peak")
    assert len(tried) > 1
    assert tried[-1] == found
    # Inputs and results are 4 KiB a row each; the model, its gradient and the workspaces 25 MiB.
    assert tried[-2] * 8192 > 20 * 2**20
    assert ooms == len(tried) - 1
    assert peak <= 64 * 2**20


def test_released_memory_goes_back_to_the_card(notebook: Notebook) -> None:
    """`release_memory` drops its arguments and empties the cache."""
    notebook.run("""
from accelerate.utils import release_memory
one, other = torch.randn(1000, 1000, device="cuda"), torch.randn(1000, 1000, device="cuda")
before = in_use()
one, other = release_memory(one, other)
""")
    # 4,000,000 bytes and 256 to the next multiple of 512.
    assert notebook.value("before, in_use(), one, other") == (2 * 4_000_256, 0, None, None)
    notebook.run("torch.cuda.empty_cache()")
    assert notebook.value("torch.cuda.memory_reserved()") == 0


def test_a_model_is_spread_over_card_and_host(notebook: Notebook) -> None:
    """What does not fit into the given bytes waits on the host, and comes when it is its turn."""
    notebook.run("""
from accelerate import dispatch_model, infer_auto_device_map, init_empty_weights
with init_empty_weights():
    empty = nn.Linear(256, 256)
model = nn.Sequential(*[nn.Linear(256, 256) for _ in range(4)])
wanted = model(torch.ones(2, 256))
places = infer_auto_device_map(model, max_memory={0: 600_000, "cpu": 10**9})
model = dispatch_model(model, places)
with torch.no_grad():
    result = model(torch.ones(2, 256))
""")
    places, empty, held = notebook.value("dict(places), str(empty.weight.device), in_use()")
    assert empty == "meta"
    assert places == {"0": 0, "1": "cpu", "2": "cpu", "3": "cpu"}
    assert held == 256 * 256 * 4 + 256 * 4
    if notebook.has_values:
        assert notebook.value("torch.allclose(result.cpu(), wanted, atol=1e-5)")
