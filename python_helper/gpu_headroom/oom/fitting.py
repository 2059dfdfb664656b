"""The largest half, quarter … of a number with which a failed cell should fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .largest_batch import predict, probes

if TYPE_CHECKING:
    from .evidence import Evidence
    from .largest_batch import Prediction

_SMALLEST_RATIO = 1 / 1024


def predicted(evidence: Evidence) -> Prediction | None:
    """Return what earlier runs of the failed cell say of its batch, if they do."""
    batch, failure, memory = evidence.batch, evidence.failure, evidence.memory
    start = failure.start_bytes
    if batch is None or start is None:
        return None
    if memory.in_use_bytes is None or memory.headroom_bytes is None:
        return None
    earlier_probes = probes(batch, failure.cell, failure.runs, evidence.device_index)
    headroom = memory.in_use_bytes + memory.headroom_bytes - start
    return predict(earlier_probes, start, headroom)


def fitting(evidence: Evidence) -> int | None:
    """Return the largest of half the batch, a quarter … that should fit; `None`: none would.

    Measured runs decide where they can, else the estimate. Of another process only
    what it proposes is known, where it has measured itself.
    """
    batch, prediction = evidence.batch, predicted(evidence)
    if batch is None:
        return None
    if evidence.failure.in_other_process:
        return evidence.fitting_batch or batch.value // 2
    if prediction is not None:
        halves = [batch.value >> times for times in range(1, batch.value.bit_length())]
        return next((half for half in halves if half <= prediction.low), None)
    size, most = estimated(evidence, batch.value, evidence.batch_bytes), evidence.most_batch
    return size if size is None or most is None else min(size, most)


def estimated(evidence: Evidence, value: int, scaling_bytes: int, *, power: int = 1) -> int | None:
    """Return the largest of value/2, value/4 … with which as much should fit; `None`: none.

    `scaling_bytes` grow with this power of the value.
    """
    halves = [value >> times for times in range(1, value.bit_length())]
    fits = (half for half in halves if evidence.peak.fits(scaling_bytes, (half / value) ** power))
    new_value = next(fits, 0)
    return new_value if new_value >= max(1, value * _SMALLEST_RATIO) else None
