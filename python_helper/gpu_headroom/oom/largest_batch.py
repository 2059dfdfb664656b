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

from ..code.batch import Code, batch_literals
from ..text.format import MIB
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..cells.runs import CellRun, Ledger
    from ..code.literals import SizeLiteral
    from ..protocol.wire import Message
    from ..readings.snapshot import DeviceReading, DeviceSnapshot

# From trials on the simulated GPU; to be confirmed on real ones.
_LEAST_SHARE = 0.3
_FURTHEST = 8
_SAME_START = 0.1
_STRAIGHT = 0.03
_STEEPER = 1.1
_SPARE = 0.2  # for what splits and rounding make useless
_WIDEST = 1.7
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
    """A run that succeeded: its batch, what was in use at its start and at its exact peak."""

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
    latest = {each.key: each for each in runs}
    literal = next(iter(batch_literals(cell, tuple(latest.values()), values, code=code)), None)
    if literal is None:
        return Prediction(None, None, message("prediction.no_batch"))
    known = probes(literal, cell, runs, device.index, code)
    return predict(literal.name, known, device.in_use_bytes, device.headroom_bytes or 0)


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
    found, code = [], code or Code()
    for run in runs:
        memory = run.on(device_index)
        if run.key != cell.key or run.status != "ok" or memory is None or not memory["peak_exact"]:
            continue
        batch = _value_at(run, literal, runs, code)
        peak, needed = memory["peak_bytes"], memory["needed_bytes"]
        if batch is not None and peak is not None and needed is not None:
            found.append(Probe(batch, peak - needed, peak))
    last = found[-1:]
    alike = [
        each
        for each in found
        if abs(each.start_bytes - last[0].start_bytes) <= _SAME_START * last[0].peak_bytes
    ]
    return sorted({each.batch: each for each in alike}.values())


def predict(
    name: str, known: Sequence[Probe], in_use_bytes: int, headroom_bytes: int
) -> Prediction:
    """Predict from these runs, or say why not, for a run that begins with so much in use.

    What is in use beyond the start of the runs known may be a last batch, which the next one
    takes the place of, or something that stays.
    """
    if len(known) < 2:  # noqa: PLR2004  a line needs two points
        return Prediction(None, None, message("prediction.few_runs", name=name))
    largest = known[-1]
    limits = sorted((largest.start_bytes + headroom_bytes, in_use_bytes + headroom_bytes))
    slopes = [
        (later.peak_bytes - each.peak_bytes) / (later.batch - each.batch)
        for each, later in pairwise(known)
    ]
    least = slopes[-1]
    if least * largest.batch < _LEAST_SHARE * largest.peak_bytes:
        return Prediction(None, None, message("prediction.small_share", name=name))
    start_bytes = min(each.start_bytes for each in known)
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
        where = [each for each in runs if each.key == key and each.start_s < run.start_s][-1:]
    literals = [each for cell in where for each in code.literals(cell)]
    values = {each.value for each in literals if each.name == literal.name}
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
                found = largest_batch(cell, runs, values, device, code)
                if found.message["id"] != "prediction.no_batch":
                    return found
    return Prediction(None, None, message("prediction.no_batch"))
