"""Memory that an earlier failure leaves in use while the next cell runs.

If the next cell fails too, its error replaces the earlier one, and what that error retained can no
longer be measured: so it is measured before, between the cells.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import ConcurrentUseError, TimeLimitError
from ..holders.survey import survey
from .failure import last_shown
from .fitting import fitting

if TYPE_CHECKING:
    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..protocol.generated.wire import Report
    from .evidence import Evidence
    from .failure import Failure

_ALIKE = 0.05


class EarlierError:
    """The bytes that only the error shown last holds, by device; it holds nothing of it."""

    def __init__(self) -> None:
        self._shown = 0
        self._bytes: dict[int, int] = {}

    def held(self, shown: int, device_index: int) -> int | None:
        """Return what the error with this id held on a device; `None` is not measured."""
        return self._bytes.get(device_index) if shown == self._shown else None

    def enter(self, report: Report) -> None:
        """Take over what a report has measured of the error that is shown now."""
        index, held = report["device_index"], report["traceback_bytes"]
        if index is not None and held is not None:
            self._shown, self._bytes = last_shown(), {index: held}

    def measure(self, shell: Any, _: Job | None, turn: Turn) -> None:
        """Measure what the last shown error retains; called between cells, without a training."""
        shown = last_shown()
        if turn.blocked_by is not None:
            return
        try:
            memory_survey = survey(shell, turn, unreached=False)
        except ConcurrentUseError:
            return
        if memory_survey is not None and memory_survey.complete:
            ledger = memory_survey.ledger
            devices = {storage.storage.device_index for storage in ledger}
            self._shown = shown
            self._bytes = {device: ledger.bytes(device, origin="traceback") for device in devices}


class Tries:
    """Failures of the same cell: a later one starts with less free memory, so it fails earlier.

    The failure that started with the least in use shows what the cell needs. No batch is suggested
    that is larger than the last one for the same code. No error is retained.
    """

    def __init__(self) -> None:
        self._first: Evidence | None = None
        self._proposed = dict[tuple[object, ...], int | None]()

    def begin(self, failure: Failure) -> Failure:
        """Return a failure with what the first try of its cell has left."""
        first, start = self._first, failure.start_bytes
        if first is None or start is None or first.failure.cell.key != failure.cell.key:
            return failure
        least = first.failure.start_bytes
        leftover = 0 if least is None else start - least
        return replace(failure, left_bytes=leftover if leftover > _ALIKE * _in_use(first) else 0)

    def enter(self, evidence: Evidence) -> Evidence:
        """Return the evidence, with that of the first try as `advised` if that started with less.

        Without it if another cell has run meanwhile and freed what was there.
        """
        entered = self._enter(evidence)
        best = entered.advised or entered
        key = best.failure.cell.source, best.batch and (best.batch.name, best.batch.value)
        best = replace(best, most_batch=self._proposed.get(key))
        with suppress(TimeLimitError):
            self._proposed[key] = fitting(best)
        return best if entered.advised is None else replace(entered, advised=best)

    def _enter(self, evidence: Evidence) -> Evidence:
        first, failure = self._first, evidence.failure
        if (
            first is None
            or not failure.left_bytes
            or not first.complete
            or first.failure.cell.source != failure.cell.source
            or (_other_ran(failure) and not _named(first) <= _named(evidence))
        ):
            self._first = replace(evidence, failure=failure.without_error())
            return evidence
        advised = replace(
            first,
            failure=replace(first.failure, left_bytes=failure.left_bytes),
            traceback_bytes=evidence.traceback_bytes,
            # What the first try has left may wait for Python's collector: it can be freed.
            groups=(*first.groups, *[group for group in evidence.groups if not group.root]),
            fits_after_free=False,
            training=evidence.training,
            notebook=evidence.notebook,
            live=evidence.live,
        )
        return replace(evidence, fits_after_free=False, advised=advised)


def _other_ran(failure: Failure) -> bool:
    return [run.key for run in failure.runs[-2:-1]] != [failure.cell.key]


def _named(evidence: Evidence) -> set[tuple[str, int]]:
    """Return what holds much under a name of the notebook's, and how much."""
    least = _ALIKE * _in_use(evidence)
    return {
        (group.path, group.bytes)
        for group in evidence.groups
        if group.origin == "names" and group.bytes > least
    }


def _in_use(evidence: Evidence) -> int:
    return evidence.memory.in_use_bytes or 0
