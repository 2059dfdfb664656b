"""The largest batch that fits, from measured runs of one cell; `None` if these do not show it.

The peak of a training step is convex in the batch: the highest of several lines, such as the
optimizer's step (constant) and the backward pass (a constant plus a slope for each sample). So
the slope between two runs, less the temporary memory of kernels, which is limited, is a lower
bound of what a sample takes, and gives an upper bound of the largest batch. No sample takes more
than the largest run needed above its start, divided by its batch: that gives the lower bound.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..code.batch import Code
from ..text.format import MIB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cells.runs import CellRun
    from ..code.literals import SizeLiteral

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


class Prediction(NamedTuple):
    """The largest batch lies between `low` and `high`."""

    low: int
    high: int


class Probe(NamedTuple):
    """A run that succeeded: its batch, what was in use at its start and at its peak."""

    batch: int
    start_bytes: int
    peak_bytes: int


def probes(
    literal: SizeLiteral, cell: CellRun, runs: Sequence[CellRun], device_index: int
) -> list[Probe]:
    """Return what the runs of a cell tell, from the smallest batch on.

    Only those that began with as much in use as the last: the others ran with another model, or
    before the optimizer had its state.
    """
    samples, code = [], Code()
    for run in runs:
        peak = _peak(run, device_index) if run.key == cell.key else None
        batch = None if peak is None else _value_at(run, literal, runs, code)
        if batch is not None and peak is not None:
            samples.append(Probe(batch, *peak))
    last = samples[-1:]
    alike = [
        probe
        for probe in samples
        if abs(probe.start_bytes - last[0].start_bytes) <= _SAME_START * last[0].peak_bytes
    ]
    return sorted({probe.batch: probe for probe in alike}.values())


def _peak(run: CellRun, device_index: int) -> tuple[int, int] | None:
    """Return what was in use at a run's start and at most at its peak, where that is known well."""
    memory = run.on(device_index)
    if run.status != "ok" or memory is None:
        return None
    least, most, needed = (memory[k] for k in ("peak_bytes", "peak_at_most_bytes", "needed_bytes"))
    if least is None or most is None or needed is None or most - least > _BLUR * most:
        return None
    return (least - needed, most)


def predict(known: Sequence[Probe], in_use_bytes: int, headroom_bytes: int) -> Prediction | None:
    """Predict from these runs for a run that begins with so much in use; `None`: they do not tell.

    What is in use beyond the start of the runs known may be a last batch, which the next one
    takes the place of, or something that stays.
    """
    if len(known) < _TWO:
        return None
    largest = known[-1]
    limits = sorted((largest.start_bytes + headroom_bytes, in_use_bytes + headroom_bytes))
    slopes = [
        (later.peak_bytes - probe.peak_bytes) / (later.batch - probe.batch)
        for probe, later in pairwise(known)
    ]
    least = slopes[-1]
    if least * largest.batch < _LEAST_SHARE * largest.peak_bytes:
        return None
    start_bytes = min(probe.start_bytes for probe in known)
    most = max(least, (largest.peak_bytes - start_bytes) / largest.batch)
    if len(slopes) > 1 and abs(slopes[-1] - slopes[-2]) <= _STRAIGHT * least:
        most = min(most, _STEEPER * least)
    flattest = least - _PARTIAL_SUMS_BYTES / (largest.batch - known[-2].batch)
    if flattest <= 0:
        return None
    high = int(largest.batch + (limits[1] - largest.peak_bytes) / flattest)
    spared = (1 - _SPARE) * limits[0] - largest.peak_bytes
    # What has run fits, however little is to be spared.
    low = max(largest.batch, int(largest.batch + spared / most))
    is_near = largest.batch <= high <= min(_FURTHEST * largest.batch, _WIDEST * low)
    return Prediction(low, high) if is_near else None


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
