"""What is let go of before cells run again: names that they set before they read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom import release
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.release.overwritten import set_anew

if TYPE_CHECKING:
    from tests.notebook import Notebook

MIB = 2**20


def cell(source: str, name: str = "one") -> CellRun:
    """Make the run of a cell."""
    return CellRun(name, 1, source, None, 0.0)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = make()\ny = x + 1", {"x", "y"}),
        ("y = x + 1\nx = make()", {"y"}),
        ("total += x", set()),
        ("for x in data:\n    out = f(x)\nprint(out)", {"x", "out"}),
        ("for x in data:\n    h = f(x, h)", {"x"}),
        ("if ready:\n    x = 1\nprint(x)", set()),
        ("def use():\n    return kept\nkept = 1", {"use"}),
        ("copied = copy.deepcopy(net)\ndef use():\n    return copied", {"copied", "use"}),
        ("def use():\n    return copied\nuse()\ncopied = f(net)", {"use"}),
        ("broken (", set()),
    ],
)
def test_only_what_is_set_before_it_is_read(source: str, names: set[str]) -> None:
    """In the order in which the cell runs; a function may read at any time."""
    assert set_anew(cell(source), (cell(source),)) == names


def test_what_a_function_of_another_cell_reads_stays() -> None:
    """It may be called before the name is set."""
    other = cell("def predict():\n    return model(x)", "other")
    one = cell("predict()\nx = 1\ny = 2")
    assert set_anew(one, (other, one)) == {"y"}


def test_lets_go_of_the_values_of_a_failed_run(notebook: Notebook) -> None:
    """On a wish that names the cell and agrees; nothing else goes, and no plan lists it."""
    notebook.run("import torch\nkept = torch.empty(2**20, device='cuda')", cell_id="kept")
    notebook.run("x = torch.empty(2**24, device='cuda')\n1 / 0", cell_id="failed")
    situation = notebook.situation()
    assert "rerun:failed" not in {each["id"] for each in release.plan(situation)}
    outcome = release.run(["rerun:failed"], notebook.situation(), notebook.read, ["rerun:failed"])
    assert outcome.freed_bytes == 64 * MIB
    assert notebook.run("kept + 1").success
    assert not notebook.run("x").success


def test_lets_go_of_what_the_cell_displayed(notebook: Notebook) -> None:
    """Each run of it, and no other cell."""
    notebook.run("import torch\ntorch.empty(2**24, device='cuda')", cell_id="other")
    for _ in range(3):
        notebook.run("torch.empty(2**24, device='cuda')", cell_id="shows")
    outcome = release.run(["rerun:shows"], notebook.situation(), notebook.read, ["rerun:shows"])
    assert outcome.freed_bytes == 3 * 64 * MIB
    assert len(notebook.shell.history_manager.output_hist) == 1


def test_lets_go_of_what_a_checkpoint_computed_again(notebook: Notebook) -> None:
    """Nothing shows it, and the graph of a small loss holds it."""
    notebook.run(
        "import torch\nfrom torch.utils.checkpoint import checkpoint\n"
        "net = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()"
    )
    result = notebook.run(
        "x = torch.randn(8, 1024, device='cuda')\n"
        "loss = checkpoint(net, x, use_reentrant=False).sum()\n"
        "loss.backward(stop_here)",
        cell_id="failed",
    )
    assert not result.success
    outcome = release.run(["rerun:failed"], notebook.situation(), notebook.read, ["rerun:failed"])
    assert "loss" not in notebook.shell.user_ns
    assert outcome.status == "done"


def test_needs_agreement(notebook: Notebook) -> None:
    """It deletes variables: without a yes nothing happens."""
    notebook.run("import torch\nx = torch.empty(2**24, device='cuda')", cell_id="one")
    with pytest.raises(ValueError, match="rerun:one"):
        release.run(["rerun:one"], notebook.situation(), notebook.read)
