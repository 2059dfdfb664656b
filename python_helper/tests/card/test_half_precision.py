"""Mixed precision as a card offers it: in `float16` with a scaler on GPUs before Ampere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.card.report import BuiltReport, report_of
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.dry_runs.edited import edits_of
from gpu_headroom.oom.evidence import measure
from gpu_simulator import simulate
from tests.notebook import open_notebook

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_headroom.protocol.wire import Remedy

# PyTorch says at its start for which cards it was built.
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
IN_FLOAT16 = """scaler = torch.amp.GradScaler("cuda")
for step in range(3):
    x = torch.randn(rows, 512, device="cuda")
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())"""
MANY = BASE.format(rows=80_000)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was imported from this folder would be a person's own code."""
    monkeypatch.chdir(tmp_path)


def card(capability: tuple[int, int], *cells: str) -> tuple[BuiltReport, dict[str, str]]:
    """Run cells on a GPU of 3 GiB, of which the last fails; return its card, and the cells."""
    sources = {f"c{n}": source for n, source in enumerate(cells)}
    with simulate("3 GiB") as simulation, open_notebook() as notebook:
        simulation.be_of(*capability)
        for name, source in sources.items():
            result = notebook.run(source, cell_id=name)
        assert not result.success, result
        return report_of(measure(notebook.failure(result), Turn(30.0))), sources


def remedy(built: BuiltReport) -> Remedy | None:
    """Return what the card says of mixed precision."""
    found = (each for each in built.report["remedies"] if each["id"] == "autocast")
    return next(found, None)


def edited(built: BuiltReport, sources: dict[str, str]) -> str:
    """Return the last cell as the edit would have it."""
    edits = edits_of(built.report, built.fixes.get, sources)
    (cells,) = [each["cells"] for each in edits if each["remedy_id"] == "autocast"]
    return cells[-1][1]


@pytest.mark.parametrize(
    ("capability", "dtype"),
    [(P100, "float16"), (T4, "float16"), (AMPERE, "bfloat16"), (HOPPER, "bfloat16")],
)
def test_each_gpu_has_what_it_computes_fast(capability: tuple[int, int], dtype: str) -> None:
    """`bfloat16` since Ampere; before, `float16` with a scaler. Never with a button."""
    built, sources = card(capability, MANY, TRAIN)
    said = remedy(built)
    assert said is not None
    assert said["reason"] is not None
    assert said["title"]["text"] == f"Mixed precision in `{dtype}` for the forward pass"
    assert (said["kind"], said["reason"]["id"]) == ("advice", "autocast.values")
    after = edited(built, sources)
    assert (after == IN_FLOAT16) is (dtype == "float16")
    assert (f"torch.{dtype}" in after, "scaler" in after) == (True, dtype == "float16")
    is_scaled = "A scaler keeps small gradients from becoming 0." in said["note"]["text"]
    assert is_scaled is (dtype == "float16")
    assert "Ampere" not in said["note"]["text"]


TWO = TRAIN.replace("    optimizer.step()", "    optimizer.step()\n    other.step()")
SCALER = "import torch\nscaler = torch.amp.GradScaler('cuda')"
SCALED = TRAIN.replace("loss.backward()", "scaler.scale(loss).backward()").replace(
    "optimizer.step()", "scaler.step(optimizer)\n    scaler.update()"
)
MASKS = "def attend(scores, mask):\n    return scores.masked_fill(mask == 0, -1e9)"


@pytest.mark.parametrize(
    ("before", "source", "on_t4"),
    [
        ("pass", TWO, False),
        (MASKS, TRAIN, False),
        ("scaler = 'StandardScaler'", TRAIN, True),
        (SCALER, SCALED, False),
        ("pass", TRAIN.replace("loss.backward()", "(loss / 2).backward()"), True),
    ],
    ids=["two optimizers", "masks", "name", "has it", "divided"],
)
def test_what_has_no_clear_form_is_not_offered(before: str, source: str, on_t4: bool) -> None:
    """Two optimizers, numbers that `float16` does not reach, what is scaled already."""
    base = MANY + "\nother = torch.optim.SGD(model.parameters(), lr=0.0)"
    built, sources = card(T4, before, base, source)
    assert (remedy(built) is not None) is on_t4
    if on_t4:
        name = "grad_scaler" if "scaler" in before else "scaler"
        assert f'{name} = torch.amp.GradScaler("cuda")' in edited(built, sources)


TRAINERS = {
    "transformers": ("args = TrainingArguments('out')", "fp16=True", "bf16=True"),
    "lightning": ("t = pl.Trainer(max_epochs=3)", '"16-mixed"', '"bf16-mixed"'),
    "accelerate": ("a = Accelerator()", 'mixed_precision="fp16"', 'mixed_precision="bf16"'),
}


@pytest.mark.parametrize("library", TRAINERS)
def test_trainers_have_flags_for_each(library: str) -> None:
    """Where a trainer has the loop it has the scaler, too."""
    made, *flags = TRAINERS[library]
    fakes = "TrainingArguments = Accelerator = dict\nclass pl:\n    Trainer = dict"
    made = made.replace("'out'", "output_dir='out'")
    for capability, flag in zip((T4, AMPERE), flags, strict=True):
        built, _ = card(capability, fakes, made, MANY, TWO.replace("other", "optimizer"))
        said = remedy(built)
        assert said is not None
        assert any(flag in row["text"] for diff in said["diffs"] for row in diff["rows"])


def test_an_older_pytorch_has_an_older_scaler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 2.2 it was one of `torch.cuda.amp`."""
    monkeypatch.delattr("torch.amp.GradScaler")
    assert edited(*card(T4, MANY, TRAIN)).startswith("scaler = torch.cuda.amp.GradScaler()\n")


def test_the_edited_program_trains_as_before() -> None:
    """With values, on the simulated GPU; a step is skipped where the scale was too large for it."""
    losses: list[list[float]] = []
    names: dict[str, Any] = {}
    for source in (TRAIN, IN_FLOAT16):
        with simulate("1 GiB", compute="cpu") as simulation:
            simulation.be_of(*T4)
            names = {}
            cells = f"{BASE.format(rows=32)}\n{source.replace('range(3)', 'range(6)')}"
            exec(cells, names)  # noqa: S102  cells of this file
            losses.append(names["losses"])
            scale = names["scaler"].get_scale() if "scaler" in names else 2.0**16
    before, after = losses
    skipped = int(math.log2(2.0**16 / scale))
    assert 0 <= skipped <= 2
    assert before[-1] < before[0] / 5
    assert after[skipped:] == pytest.approx(before[: len(before) - skipped], rel=0.02)
    assert {each.dtype for each in names["model"].parameters()} == {names["torch"].float32}
