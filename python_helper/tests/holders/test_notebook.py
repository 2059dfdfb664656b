"""A notebook as people have them: a model of GPT-2's size, and far more objects than tensors."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.account import Account, take
from gpu_simulator import simulate
from tests.holders.gpt2 import NOTEBOOK, PARAMETERS_BYTES
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    """A notebook that has trained for a step and kept more than it should."""
    with simulate("24 GiB"), open_notebook() as notebook:
        assert notebook.run(NOTEBOOK).success, notebook.printed
        notebook.run("model(torch.randint(50257, (1, 64), device='cuda'))")
        gc.unfreeze()
        yield notebook


def measured(notebook: Notebook) -> Account:
    """Take the account without hurry: how long it takes is measured in `benchmarks/`."""
    return take(notebook.shell, notebook.read(), Turn(30.0))


def test_explains_what_is_in_use(notebook: Notebook) -> None:
    """Among a million objects, nearly all memory has a name or hangs on a named graph."""
    account = measured(notebook)
    (device,) = account.devices
    explained = device.held_bytes / device.in_use_bytes
    print(f"{1000 * account.duration_s:.0f} ms, {100 * explained:.2f} % explained")
    assert account.complete
    assert explained >= 0.99
    assert device.in_use_bytes == notebook.in_use()


def test_gives_each_name_what_theory_gives_it(notebook: Notebook) -> None:
    """Model, optimizer, outputs and closure have their bytes, and what their blocks are larger."""
    device = measured(notebook).devices[0]
    sizes = {row.name: row.bytes for row in device.rows}
    theory = {
        "model": 2 * PARAMETERS_BYTES,  # with gradients
        "optimizer": 2 * PARAMETERS_BYTES,
        "outputs": 3 * 2 * 256 * 50257 * 4,
        "predict": 64 * 2**20,
    }
    for name, size in theory.items():
        assert size <= sizes[name] <= 1.02 * size, name


def test_hangs_the_graphs_on_what_keeps_them(notebook: Notebook) -> None:
    """A list of losses keeps the activations of its steps."""
    device = measured(notebook).devices[0]
    losses = next(row for row in device.rows if row.name == "losses")
    assert losses.graph_bytes > 0.99 * losses.bytes
    assert losses.hint is not None
    assert losses.hint["id"] == "hint.graphs"
    assert device.parts["graphs"] >= losses.graph_bytes
