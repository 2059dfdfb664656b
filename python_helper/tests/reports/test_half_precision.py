"""Mixed precision as a report offers it: in `float16` with a scaler on GPUs before Ampere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom.evidence import measure
from gpu_headroom.reports.model import BuiltReport, report_of
from gpu_simulator import simulate
from tests.notebook import open_notebook

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_headroom.protocol.generated.wire import Remedy

# PyTorch says at its start for which GPUs it was built.
pytestmark = pytest.mark.filterwarnings(r"ignore:[\s\S]*(compute|CUDA) capability:UserWarning")
T4, P100, AMPERE, HOPPER = (7, 5), (6, 0), (8, 0), (9, 0)
BASE = """import torch
from torch import nn
torch.manual_seed(0)
losses = []
layers = [layer for _ in range(8) for layer in (nn.Linear(512, 512), nn.GELU())]
model = nn.Sequential(*layers).cuda()
optimizer = torch.optim.AdamW(model.parameters())
rows = {rows}"""
TRAIN = """for step in range(3):
    x = torch.randn(rows, 512, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())"""
MANY = BASE.format(rows=80_000)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was imported from this folder would be a person's own code."""
    monkeypatch.chdir(tmp_path)


def report(capability: tuple[int, int], *cells: str) -> BuiltReport:
    """Run cells on a GPU of 3 GiB, of which the last fails; return its report."""
    sources = {f"c{n}": source for n, source in enumerate(cells)}
    with simulate("3 GiB") as simulation, open_notebook() as notebook:
        simulation.be_of(*capability)
        for name, source in sources.items():
            result = notebook.run(source, cell_id=name)
        assert not result.success, result
        return report_of(measure(notebook.failure(result), Turn(30.0)))


def remedy(built: BuiltReport) -> Remedy | None:
    """Return what the report says of mixed precision."""
    matches = (row for row in built.report["remedies"] if row["id"] == "autocast")
    return next(matches, None)


@pytest.mark.parametrize(
    ("capability", "dtype"),
    [(P100, "float16"), (T4, "float16"), (AMPERE, "bfloat16"), (HOPPER, "bfloat16")],
)
def test_each_gpu_has_what_it_computes_fast(capability: tuple[int, int], dtype: str) -> None:
    """`bfloat16` since Ampere; before, `float16` with a scaler. A suggestion."""
    built = report(capability, MANY, TRAIN)
    offer = remedy(built)
    assert offer is not None
    assert offer["title"]["text"] == f"Mixed precision in `{dtype}` for the forward pass"
    assert offer["kind"] != "edit"
    is_scaled = "A `GradScaler` keeps small gradients from becoming 0." in offer["note"]["text"]
    assert is_scaled is (dtype == "float16")
    assert "Ampere" not in offer["note"]["text"]


def test_what_has_it_already_is_not_told() -> None:
    """A notebook that computes in half precision somewhere."""
    scaled = TRAIN.replace("loss.backward()", "scaler.scale(loss).backward()")
    assert (
        remedy(report(T4, "import torch\nscaler = torch.amp.GradScaler('cuda')", MANY, scaled))
        is None
    )
