"""The largest batch that measured runs predict, beside the true one found by bisection."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.code.literals import literals_in
from gpu_headroom.oom.largest_batch import Prediction, Probe, predict, probes
from gpu_simulator import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from gpu_headroom.session.session import Session
    from tests.trends.workbench import Workbench

MIB = 2**20
CAPACITY = 4096 * MIB

TRAIN = """
batch_size = {batch}
x = torch.randn(batch_size, *shape, device="cuda")
for step in range(2):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


@dataclass(frozen=True)
class Program:
    """A cell that makes a model, and the batch that a person would begin with."""

    setup: str
    first: int


def mlp(draw: Random) -> Program:
    """Activations are a small part at first."""
    width = draw.choice([512, 1024, 2048])
    return Program(
        f"""
import torch
from torch import nn
shape = ({width},)
model = nn.Sequential(*[
    layer for _ in range({draw.randint(2, 6)}) for layer in (nn.Linear({width}, {width}), nn.ReLU())
]).cuda()
optimizer = torch.optim.Adam(model.parameters())
""",
        draw.choice([256, 1024, 4096]),
    )


def transformer(draw: Random) -> Program:
    """Activations grow with the length as well, which stays the same."""
    width = draw.choice([128, 256])
    return Program(
        f"""
import torch
from torch import nn
shape = ({draw.choice([128, 256])}, {width})
layer = nn.TransformerEncoderLayer({width}, 4, batch_first=True)
model = nn.TransformerEncoder(layer, {draw.randint(2, 4)}, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters())
""",
        draw.choice([4, 8, 16]),
    )


def fits(program: Program, batch: int) -> bool:
    """Whether a batch fits a GPU of its own."""
    names: dict[str, object] = {}
    with simulate(CAPACITY):
        try:
            exec(program.setup + TRAIN.format(batch=batch), names)  # noqa: S102  as a kernel does
        except torch.OutOfMemoryError:
            return False
        finally:
            names.clear()
            gc.collect()
    return True


def true_largest(program: Program, low: int) -> int:
    """Find the largest batch that fits, to half a percent."""
    high = 2 * low
    while fits(program, high):
        low, high = high, 2 * high
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(program, middle) else (low, middle)
    return low


def predict_last(session: Session) -> Prediction | None:
    """Predict for the cell that ran last, run again on the GPU as it is now."""
    runs, snapshot = session.ledger.runs(), session.sampler.measure()
    device = snapshot and snapshot.device(0)
    assert device
    (literal,) = literals_in(runs[-1], runs[-1].source)
    points = probes(literal, runs[-1], runs, device.index)
    return predict(points, device.in_use_bytes, device.headroom_bytes or 0)


@pytest.mark.parametrize("make", [mlp, transformer])
def test_the_range_holds_the_true_largest_batch(
    workbench: Workbench, make: Callable[[Random], Program]
) -> None:
    """A prediction is a range with the truth in it, or there is none."""
    program = make(workbench.draw)
    predictions: list[Prediction | None] = []
    with workbench.gpu(CAPACITY):
        workbench.run(program.setup, "setup")
        batch = program.first
        while workbench.run(TRAIN.format(batch=batch), "train").success:
            predictions.append(predict_last(workbench.session))
            batch *= 2
        workbench.shell.reset(new_session=False)
    truth = true_largest(program, program.first)
    ranges = [prediction for prediction in predictions if prediction]
    print(make.__name__, program.first, ranges, "of", len(predictions), "true:", truth)
    assert ranges
    # What a fresh GPU holds is found to half a percent.
    assert all(low <= truth * 1.005 and truth <= high * 1.005 for low, high in ranges)


GIB = 2**30
STEADY = [Probe(64, GIB, 2 * GIB), Probe(128, GIB, 3 * GIB)]


def test_a_line_through_all_that_is_above_the_start_is_certain() -> None:
    """The lower end is that line's; the other leaves room for what will not grow any more."""
    prediction = predict(STEADY, GIB, 7 * GIB)
    assert prediction
    assert prediction.high == 128 + int(5 * 64 * 8 / 7)  # an eighth of that GiB may be partial sums
    assert prediction.low == 128 + int(3.4 * 64)


@pytest.mark.parametrize(
    ("points", "headroom"),
    [
        ([], GIB),
        (STEADY[:1], GIB),
        ([Probe(64, GIB, 5 * GIB), Probe(128, GIB, 5 * GIB + GIB // 2)], 9 * GIB),  # flat
        (STEADY, 30 * GIB),  # far
        ([Probe(64, 0, 13 * GIB // 2), Probe(128, 0, 17 * GIB // 2)], 30 * GIB),  # wide
        (STEADY, GIB // 2),
    ],
)
def test_silence_beats_a_guess(points: list[Probe], headroom: int) -> None:
    """A flat peak, a far extrapolation or a wide range is no measurement."""
    assert predict(points, 0, headroom) is None


def test_takes_the_batch_from_the_cell_that_defines_it(workbench: Workbench) -> None:
    """The value counts that the earlier cell had when each run began."""
    program = transformer(workbench.draw)
    train = TRAIN.replace("batch_size = {batch}", "")
    with workbench.gpu(CAPACITY):
        workbench.run(program.setup, "setup")
        for batch in (8, 16, 32, 64):
            workbench.run(f"batch_size = {batch}", "size")
            assert workbench.run(train, "train").success
        runs = workbench.session.ledger.runs()
        cell = next(run for run in reversed(runs) if run.cell_id == "train")
        (literal,) = literals_in(runs[-2], runs[-2].source)
        assert [run.batch for run in probes(literal, cell, runs, 0)] == [16, 32, 64]


def test_the_remedy_says_what_was_measured(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After runs that fitted, the smaller batch of a failure is one that they say will fit."""
    program = transformer(workbench.draw)
    entries: list[Any] = []
    reports = workbench.session.reports
    enter = reports.enter

    def note(new_report: Any) -> Any:
        entries.append(enter(new_report))
        return entries[-1]

    monkeypatch.setattr(reports, "enter", note)
    with workbench.gpu(CAPACITY):
        workbench.run(program.setup, "setup")
        batch = 16
        while workbench.run(TRAIN.format(batch=batch), "train").success:
            batch *= 2
        # Where the survey took several turns, the report is completed.
        report = entries[-1]
        assert {entry["report_id"] for entry in entries} == {report["report_id"]}
        remedy = next(entry for entry in report["remedies"] if entry["id"] == "smaller-batch")
        assert remedy["note"]["id"] == "remedy.smaller-batch.note_predicted"
        assert remedy["title"]["params"]["new"] <= remedy["note"]["params"]["low"]
        workbench.shell.reset(new_session=False)
