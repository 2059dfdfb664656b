"""What the error of an earlier cell keeps in use while the next cell runs.

When that one fails, its error takes the place of the earlier one, and what this had kept cannot
be told any more: so it is measured before, between the cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Disturbed
from ..holders.survey import survey
from .failure import last_shown

if TYPE_CHECKING:
    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..protocol.wire import Report


class EarlierError:
    """The bytes that only the error shown last holds, by device; it holds nothing of it."""

    def __init__(self) -> None:
        self._shown = 0
        self._bytes: dict[int, int] = {}

    def held(self, shown: int, device_index: int) -> int | None:
        """Return what the error with this id held on a device; `None` is not measured."""
        return self._bytes.get(device_index) if shown == self._shown else None

    def enter(self, report: Report) -> None:
        """Take over what a card has measured of the error that is shown now."""
        index, held = report["device_index"], report["traceback_bytes"]
        if index is not None and held is not None:
            self._shown, self._bytes = last_shown(), {index: held}

    def measure(self, shell: Any, _: Job | None, turn: Turn) -> None:
        """Measure what the error that is shown now holds; between cells, where nobody trains."""
        shown = last_shown()
        if turn.unwelcome is not None:
            return
        try:
            found = survey(shell, turn, elsewhere=False)
        except Disturbed:
            return
        if found is not None and found.complete:
            ledger = found.ledger
            devices = {each.storage.device_index for each in ledger}
            self._shown = shown
            self._bytes = {each: ledger.bytes(each, origin="traceback") for each in devices}
