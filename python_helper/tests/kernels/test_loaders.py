"""Whose batch a click makes smaller, and which cells it runs again, in a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.live import LiveKernel

GPU = "4GiB"
START = "import torch\nfrom torch.utils.data import DataLoader, TensorDataset"
# A batch of 64 rows is 256 MiB behind the layer, and kept many times.
MODEL = """layers = [torch.nn.ReLU() for _ in range(24)]
model = torch.nn.Sequential(torch.nn.Linear(16, 2**20), *layers).cuda()
"""
LOADERS = """data = TensorDataset(torch.ones(128, 16))
train_loader = DataLoader(data, batch_size=64)
valid_loader = DataLoader(data, batch_size=64)
test_loader = DataLoader(data, batch_size=64)
"""
TRAIN = """opt = torch.optim.SGD(model.parameters(), lr=0.1)
for (xb,) in train_loader:
    loss = model(xb.cuda()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def smaller_batch(kernel: LiveKernel, cells: dict[str, str]) -> tuple[dict[str, Any], str]:
    """Run cells, of which the last fails; return its offer of a smaller batch, and the report."""
    *_, last = cells
    for cell_id, source in cells.items():
        run = kernel.run(source, cell_id=cell_id, stop_on_error=False)
        assert (run.status == "ok") is (cell_id != last), cell_id
    report = run.report
    remedies = {remedy["id"]: remedy for remedy in report["remedies"]}
    assert "smaller-batch" in remedies, list(remedies)
    return remedies["smaller-batch"], report["report_id"]


def click(kernel: LiveKernel, report_id: str, cells: dict[str, str]) -> dict[str, Any]:
    """Ask for its edit."""
    wish = {"report_id": report_id, "remedy_id": "smaller-batch"}
    reply: dict[str, Any] = kernel.ask("fix", **wish, sources=cells)
    return reply


def test_the_loader_of_the_failing_loop_is_edited(fresh: LiveKernel) -> None:
    """Of three with the same number, not the last one."""
    cells = {"start": START, "data": LOADERS, "model": MODEL, "train": TRAIN}
    offer, report_id = smaller_batch(fresh, cells)
    assert offer["kind"] == "edit"
    (edit,) = click(fresh, report_id, cells)["edits"]
    assert edit["cell_id"] == "data"
    assert edit["old_lines"] == ["train_loader = DataLoader(data, batch_size=64)"]


def test_what_a_cell_has_overwritten_is_made_again(fresh: LiveKernel) -> None:
    """`rows, held = split(rows)` finds in its second run what it found in the first."""
    split = """rows, held = rows[:128], rows[128:]
assert len(held) == 8
train_loader = DataLoader(TensorDataset(rows), batch_size=64)
"""
    rows = "rows = torch.ones(136, 16)"
    cells = {"start": START, "rows": rows, "split": split, "model": MODEL, "train": TRAIN}
    offer, report_id = smaller_batch(fresh, cells)
    assert offer["kind"] == "edit"
    fix = click(fresh, report_id, cells)
    assert fix["run"] == ["rows", "split", "train"]


def test_a_cell_that_deletes_what_is_made_again_runs_as_well(fresh: LiveKernel) -> None:
    """Else the re-run would have it, too."""
    make = "raw = torch.ones(128, 16)\nloader = DataLoader(TensorDataset(raw), batch_size=64)"
    train = TRAIN.replace("train_loader", "loader")
    cells = {"start": START, "make": make, "drop": "del raw", "model": MODEL, "train": train}
    _, report_id = smaller_batch(fresh, cells)
    assert click(fresh, report_id, cells)["run"] == ["make", "drop", "train"]


@pytest.mark.parametrize("pinned", [True, False])
def test_threads_of_a_loader_are_no_tasks(fresh: LiveKernel, *, pinned: bool) -> None:
    """Workers and the thread that pins what they send wait for the person's computation."""
    workers = LOADERS.replace("=64)", f"=64, num_workers=2, pin_memory={pinned})")
    workers = workers.replace("128", "4096")
    cells = {"start": START, "data": workers, "model": MODEL, "train": TRAIN}
    *_, last = cells
    for cell_id, source in cells.items():
        run = fresh.run(source, cell_id=cell_id, stop_on_error=False)
        assert (run.status == "ok") is (cell_id != last), run.reply
    report = run.report
    assert report["cause"]["rule"] == "activations"
    assert "smaller-batch" in [item["id"] for item in report["remedies"]]
    assert "several-tasks" not in [item["rule"] for item in report["further_causes"]]


def test_what_a_re_run_repeats_is_named(fresh: LiveKernel) -> None:
    """A statement whose value is not kept; what counts anew begins anew."""
    start = f"{START}\nimport sqlite3\ncon = sqlite3.connect('t.db')\nruns = [0]"
    train = f"con.execute('CREATE TABLE IF NOT EXISTS t (x)')\nruns[0] += 1\n{TRAIN}"
    cells = {"start": start, "data": LOADERS, "model": MODEL, "train": train}
    _, report_id = smaller_batch(fresh, cells)
    fix = click(fresh, report_id, cells)
    assert fix["run"] == ["start", "data", "train"]
    assert fix["caution"]["params"]["calls"] == "con.execute"
