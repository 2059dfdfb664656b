"""The largest batch that fits, from measured runs of one cell; silence where they do not tell.

The peak of a training step is convex in the batch: the highest of several lines, such as the
optimizer's step (constant) and the backward pass (a constant and so much for each sample). So
the slope between two runs, less what kernels take for a while and only up to a limit, is the least
that a sample takes, and the largest batch is no larger than that slope says. No sample takes more
than what the largest run needed above its start, divided by its batch: that gives the other end of
the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..code.batch import Code, named_batch, size_literals
from ..text.format import MIB
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..cells.runs import CellRun, Ledger
    from ..code.literals import SizeLiteral
    from ..protocol.generated.wire import Message
    from ..readings.snapshot import DeviceReading, DeviceSnapshot

# From trials on the simulated GPU; to be confirmed on real ones. What holds them is
# `tests/trends/test_largest_batch.py`: the truth lies in the range, or nothing is said.
_LEAST_SHARE = 0.3  # of the peak grows with the batch: a flatter line says nothing
_FURTHEST = 8  # times the largest batch that ran
_SAME_START = 0.1  # of a peak: so far apart may two runs have begun
_BLUR = 0.02  # of a peak that is known well enough
_STRAIGHT = 0.03  # of a slope: so far apart may the last two be, to go on as a line
_STEEPER = 1.1  # times that slope, at most
_TWO = 2  # points that a line needs
_SPARE = 0.2  # for what splits and rounding make useless
_WIDEST = 1.7  # the upper end by the lower
# What the partial sums of reductions may add between two runs, and will not add again: they grow
# with the batch as far as there are multiprocessors (PyTorch's Reduce.cuh). 113 MB were measured,
# with three layers of 512 and 108 multiprocessors.
_PARTIAL_SUMS_BYTES = 128 * MIB


@dataclass(frozen=True, slots=True)
class Prediction:
    """The largest batch lies between `low` and `high`; both are `None` where runs do not tell."""

    low: int | None
    high: int | None
    message: Message


class Probe(NamedTuple):
    """A run that succeeded: its batch, what was in use at its start and at its peak."""

    batch: int
    start_bytes: int
    peak_bytes: int


def largest_batch(
    cell: CellRun,
    runs: Sequence[CellRun],
    values: Mapping[str, object],
    device: DeviceReading,
    code: Code,
) -> Prediction:
    """Predict for a cell what its batch may be, run on a device as it is now.

    `runs` are the last runs of all cells, oldest first; `values` the user's variables.
    """
    latest = {run.key: run for run in runs}
    cells = (*(run for key, run in latest.items() if key != cell.key), cell)
    literal = named_batch(size_literals(("batch",), cells, values, code), cell)
    if literal is None:
        return Prediction(None, None, message("prediction.no_batch"))
    measured = _measured(literal, cell, runs, device.index, code)
    known = _alike(measured)
    if len(known) < _TWO:
        hidden = sum(run.key == cell.key and _peak(run, device.index) is None for run in runs)
        return Prediction(None, None, _wanting(literal.name, measured, hidden))
    return predict(literal.name, known, device.in_use_bytes, device.headroom_bytes or 0)


def _wanting(name: str, measured: Sequence[Probe], hidden: int = 0) -> Message:
    """Say what there is too little of: runs, or such that began with as much in use.

    `hidden` are the runs whose peak is not known, since more had been in use before them.
    """
    if len({probe.batch for probe in measured}) >= _TWO:
        starts = [probe.start_bytes for probe in measured]
        return message(
            "prediction.other_start", name=name, low_bytes=min(starts), high_bytes=max(starts)
        )
    if hidden:
        return message("prediction.hidden", name=name, runs=hidden)
    return message("prediction.few_runs", name=name)


def probes(
    literal: SizeLiteral,
    cell: CellRun,
    runs: Sequence[CellRun],
    device_index: int,
    code: Code | None = None,
) -> list[Probe]:
    """Return what the runs of a cell tell, from the smallest batch on.

    Only those that began with as much in use as the last: the others ran with another model, or
    before the optimizer had its state.
    """
    return _alike(_measured(literal, cell, runs, device_index, code or Code()))


def _measured(
    literal: SizeLiteral, cell: CellRun, runs: Sequence[CellRun], device_index: int, code: Code
) -> list[Probe]:
    """Return all runs of a cell whose batch and peak are known, oldest first."""
    found = []
    for run in runs:
        peak = _peak(run, device_index) if run.key == cell.key else None
        batch = None if peak is None else _value_at(run, literal, runs, code)
        if batch is not None and peak is not None:
            found.append(Probe(batch, *peak))
    return found


def _peak(run: CellRun, device_index: int) -> tuple[int, int] | None:
    """Return what was in use at a run's start and at most at its peak, where that is known well."""
    memory = run.on(device_index)
    if run.status != "ok" or memory is None:
        return None
    least, most, needed = (memory[k] for k in ("peak_bytes", "peak_at_most_bytes", "needed_bytes"))
    if least is None or most is None or needed is None or most - least > _BLUR * most:
        return None
    return (least - needed, most)


def _alike(found: Sequence[Probe]) -> list[Probe]:
    last = found[-1:]
    alike = [
        probe
        for probe in found
        if abs(probe.start_bytes - last[0].start_bytes) <= _SAME_START * last[0].peak_bytes
    ]
    return sorted({probe.batch: probe for probe in alike}.values())


def predict(
    name: str, known: Sequence[Probe], in_use_bytes: int, headroom_bytes: int
) -> Prediction:
    """Predict from these runs, or say why not, for a run that begins with so much in use.

    What is in use beyond the start of the runs known may be a last batch, which the next one
    takes the place of, or something that stays.
    """
    if len(known) < _TWO:
        return Prediction(None, None, _wanting(name, known))
    largest = known[-1]
    limits = sorted((largest.start_bytes + headroom_bytes, in_use_bytes + headroom_bytes))
    slopes = [
        (later.peak_bytes - probe.peak_bytes) / (later.batch - probe.batch)
        for probe, later in pairwise(known)
    ]
    least = slopes[-1]
    if least * largest.batch < _LEAST_SHARE * largest.peak_bytes:
        return Prediction(None, None, message("prediction.small_share", name=name))
    start_bytes = min(probe.start_bytes for probe in known)
    most = max(least, (largest.peak_bytes - start_bytes) / largest.batch)
    if len(slopes) > 1 and abs(slopes[-1] - slopes[-2]) <= _STRAIGHT * least:
        most = min(most, _STEEPER * least)
    flattest = least - _PARTIAL_SUMS_BYTES / (largest.batch - known[-2].batch)
    if flattest <= 0:
        return Prediction(None, None, message("prediction.unclear", name=name))
    high = int(largest.batch + (limits[1] - largest.peak_bytes) / flattest)
    spared = (1 - _SPARE) * limits[0] - largest.peak_bytes
    # What has run fits, however little is to be spared.
    low = max(largest.batch, int(largest.batch + spared / most))
    if high > _FURTHEST * largest.batch:
        return Prediction(None, None, message("prediction.too_far", name=name, times=_FURTHEST))
    if high < largest.batch or high > _WIDEST * low:
        return Prediction(None, None, message("prediction.unclear", name=name))
    said = message("prediction.range", name=name, low=low, high=high, runs=len(known))
    return Prediction(low, high, said)


def _value_at(
    run: CellRun, literal: SizeLiteral, runs: Sequence[CellRun], code: Code
) -> int | None:
    """Return what the literal said when this run began; `None` where that is not certain."""
    key, where = literal.cell.key, [run]
    if key != run.key:
        where = [
            cell_run for cell_run in runs if cell_run.key == key and cell_run.start_s < run.start_s
        ][-1:]
    literals = [number for cell in where for number in code.literals(cell, literal.role)]
    values = {number.value for number in literals if number.name == literal.name}
    return values.pop() if len(values) == 1 else None


def of_last_cell(
    ledger: Ledger, values: Mapping[str, object], snapshot: DeviceSnapshot | None
) -> Prediction:
    """Predict for the cell that ran last of those in which a batch is found."""
    runs, code = ledger.runs(), Code()
    for cell in reversed(ledger.cells()):
        for memory in cell.memory:
            device = snapshot.device(memory["device_index"]) if snapshot else None
            if device is not None and device.headroom_bytes is not None:
                prediction = largest_batch(cell, runs, values, device, code)
                if prediction.message["id"] != "prediction.no_batch":
                    return prediction
    return Prediction(None, None, message("prediction.no_batch"))
