"""The whole way of a failure on a simulated card, from the error to an edit that fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from gpu_headroom import release
from gpu_headroom.oom.report import BuiltReport, build
from gpu_headroom.simulate import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "gpu_headroom" / "protocol.schema.json").read_text("utf-8")
)
BASE = """
import torch
from torch import nn
from torch.utils.data import DataLoader
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
def train(loader):
    for x in loader:
        optimizer.zero_grad()
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
data = torch.randn(200_000, 1024)
"""


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated card of 2 GiB, with a model and host data."""
    with simulate("2 GiB"), open_notebook() as notebook:
        assert notebook.run(BASE).success
        yield notebook


def card(notebook: Notebook, source: str, cell_id: str = "failing") -> BuiltReport:
    """Run a cell that runs out of memory, and build its report."""
    result = notebook.run(source, cell_id=cell_id)
    assert not result.success
    return build(notebook.failure(result))


def check(report: Any) -> None:
    """Hold a report against the schema."""
    jsonschema.validate(
        report, {**SCHEMA["definitions"]["report"], "definitions": SCHEMA["definitions"]}
    )


def test_apply_and_re_run_succeeds(notebook: Notebook) -> None:
    """Free, edit the literal, run again: the cell succeeds and no variable is lost."""
    source = "batch_size = 128 * 1024\ntrain(DataLoader(data, batch_size))"
    built = card(notebook, source)
    check(built.report)
    outcome = built.fixes["smaller-batch"].edits({"failing": source})
    assert outcome.status == "ok"
    names = set(notebook.shell.user_ns)
    release.run(None, notebook.shell, notebook.read)
    (edit,) = outcome.edits
    lines = source.split("\n")
    lines[edit["first_line"] - 1 : edit["first_line"]] = edit["new_lines"]
    assert notebook.run("\n".join(lines), cell_id="failing").success
    assert names <= set(notebook.shell.user_ns)


def test_apply_and_re_run_succeeds_over_three_cells(notebook: Notebook) -> None:
    """The literal stands in one cell, the loader is made in a second, the third fails."""
    cells = {
        "sizes": "batch_size = 128 * 1024",
        "loader": "loader = DataLoader(data, batch_size=batch_size)",
    }
    for name, source in cells.items():
        assert notebook.run(source, cell_id=name).success
    cells["failing"] = "train(loader)"
    built = card(notebook, cells["failing"])
    outcome = built.fixes["smaller-batch"].edits(cells)
    assert outcome.run == ("sizes", "loader", "failing")
    cells["sizes"] = outcome.edits[0]["new_lines"][0]
    release.run(None, notebook.shell, notebook.read)
    assert all(notebook.run(cells[name], cell_id=name).success for name in outcome.run)


def test_reports_a_cell_without_traceback_variables(notebook: Notebook) -> None:
    """A request at the top of a cell holds nothing: no remedy pretends otherwise."""
    built = card(notebook, "x = torch.empty(2**40, device='cuda')")
    check(built.report)
    assert built.report["traceback_bytes"] == 0
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "huge-request"
    assert [each["id"] for each in built.report["remedies"]] == ["split-request"]


def test_finds_the_graphs_that_a_list_keeps(notebook: Notebook) -> None:
    """The classic leak is named, with the list."""
    built = card(
        notebook,
        "losses = []\nfor _ in range(1000):\n"
        "    losses.append(model(torch.randn(8192, 1024, device='cuda')).sum())",
    )
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "retained-graph"
    assert built.report["cause"]["claim"]["params"]["name"] == "losses"
    assert "detach" in [each["id"] for each in built.report["remedies"]]


def test_finds_fragmentation(notebook: Notebook) -> None:
    """Every other of many blocks is freed: there is room, but in no one piece."""
    built = card(
        notebook,
        "blocks = [torch.empty(5 * 2**20, dtype=torch.uint8, device='cuda') for _ in range(280)]\n"
        "del blocks[::2]\n"
        "x = torch.empty(600 * 2**20, dtype=torch.uint8, device='cuda')",
    )
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "fragmentation"
    assert "expandable-segments" in [each["id"] for each in built.report["remedies"]]


def test_finds_a_model_that_is_too_large(notebook: Notebook) -> None:
    """Weights and optimizer state alone fill the card."""
    built = card(
        notebook,
        "big = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(10)]).cuda()\n"
        "adam = torch.optim.Adam(big.parameters())\n"
        "big(torch.randn(4, 4096, device='cuda')).sum().backward()\nadam.step()",
    )
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "model-too-large"


def test_finds_an_evaluation_with_gradients(notebook: Notebook) -> None:
    """The model evaluates, yet keeps activations."""
    built = card(notebook, "model.eval()\nout = model(torch.randn(100_000, 1024, device='cuda'))")
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "evaluation-with-gradients"
    assert "no-grad" in [each["id"] for each in built.report["remedies"]]
