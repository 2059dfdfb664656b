"""A notebook with a model that was trained, for the tests of what can be freed of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_headroom.release import items as freeable_items
from gpu_headroom.release.items import as_wire
from gpu_headroom.text.format import MIB
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    import pytest
    from gpu_headroom.protocol.generated.wire import Message
    from gpu_headroom.release.freeable import Freeable

MODEL = """
import torch
from torch import nn
model = nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
def step():
    loss = model(torch.randn(64, 1024, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()
step()
;"""
PARAMETERS = 8 * 4 * MIB


@contextmanager
def trained(compute: Literal["meta", "cpu"] = "meta") -> Iterator[Notebook]:
    """Have a model with 32 MiB of parameters, as much in gradients, and Adam's state."""
    with simulate("4 GiB", compute=compute), open_notebook() as notebook:
        assert notebook.run(MODEL).success
        yield notebook


@contextmanager
def captured_graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a graph that was captured, as far as a look at objects can tell."""
    import torch.cuda.graphs

    class CUDAGraph:
        """Stands in for one."""

    monkeypatch.setattr(torch.cuda.graphs, "CUDAGraph", CUDAGraph)
    graph = CUDAGraph()
    yield
    del graph


def items(notebook: Notebook) -> dict[str, Freeable]:
    """Return what can be freed now, by its ids."""
    return {item.id: item for item in freeable_items.find(notebook.situation())}


def why_blocked(notebook: Notebook, item: str) -> Message:
    """Return the reason for which an item is offered, but cannot be had."""
    blocked = items(notebook)[item].blocked
    assert blocked is not None
    return blocked


def gives_what_the_plan_said(kernel: Notebook, item: str, size: int) -> None:
    """To the byte; and the price is never paid without a word."""
    freeable = items(kernel)[item]
    row = as_wire(freeable)
    assert (row["expected_bytes"], row["safe"], row["selected"]) == (size, False, False)
    assert freeable.confirm is not None
    assert (freeable.kind, freeable.name) == tuple(item.split(":"))
    before = kernel.in_use()
    outcome = kernel.free(item)
    assert before - kernel.in_use() == outcome.freed_bytes == size
    assert (outcome.items[0]["kind"], outcome.items[0]["freed_bytes"]) == (freeable.kind, size)
    assert item not in items(kernel)
