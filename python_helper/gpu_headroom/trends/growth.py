"""Growth of the same cell over its runs, and the holder that grows."""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from ..text.format import MIB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cells.runs import CellRun
    from ..holders.account import Account
    from ..protocol.generated import wire

_RUNS = 3  # in a row that kept as much
_LEAST_BYTES = 50 * MIB  # each of them
_ALIKE = 0.1  # so far may they be apart
_MOST_OF_IT = 0.5  # of the growth is one holder's, or none is named
_KEPT_ACCOUNTS = 8
_OF_A_MODEL = ("parameters", "gradients")


def growth_of(runs: Sequence[CellRun]) -> wire.Growth | None:
    """Return by how much the last of these runs of one cell grew like those before it.

    Three in a row must have kept 50 MiB or more each, much the same, and nobody have freed it.
    """
    last = runs[-1]
    grown = [
        (memory_of, _alike(runs[-_RUNS:], memory_of["device_index"])) for memory_of in last.memory
    ]
    memory, changes = max(grown, key=lambda candidate: sum(candidate[1]), default=(None, []))
    if memory is None or len(changes) < _RUNS:
        return None
    before = runs[-2].growth
    return {
        "device_index": memory["device_index"],
        "runs": before["runs"] + 1 if before else _RUNS,
        "bytes_per_run": round(fmean(changes)),
        "holder": before["holder"] if before else None,
    }


def suspected(runs: Sequence[CellRun]) -> list[int]:
    """Return the devices on which the last two runs of one cell grew alike."""
    devices = [memory["device_index"] for memory in runs[-1].memory]
    return [device for device in devices if len(_alike(runs[-2:], device)) > 1]


def _alike(runs: Sequence[CellRun], device_index: int) -> list[int]:
    """Return what each run kept; empty unless all kept much, about the same, and it stayed."""
    memories = [memory for run in runs if (memory := run.on(device_index)) is not None]
    changes = [reading["change_bytes"] or 0 for reading in memories]
    enough = len(changes) == len(runs) and min(changes) >= _LEAST_BYTES
    alike = enough and max(changes) - min(changes) <= _ALIKE * max(changes)
    return changes if alike and _stays(memories, changes) else []


def _stays(found: Sequence[wire.CellMemory], changes: Sequence[int]) -> bool:
    """Whether each run began higher than the one before it: nobody freed what that had kept."""
    starts = [(memory["peak_bytes"] or 0) - (memory["needed_bytes"] or 0) for memory in found]
    rises = [later - earlier for earlier, later in pairwise(starts)]
    return all(rise >= _MOST_OF_IT * kept for rise, kept in zip(rises, changes, strict=False))


class Accounts:
    """Who held what after the second growing run of a cell, to be compared with the third.

    Of the last few cells that are suspected; an account holds nothing of the user's.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Account] = OrderedDict()

    def keep(self, cell: str, account: Account | None) -> None:
        """Remember an account, where there is one."""
        if account is None:
            return
        self._known[cell] = account
        while len(self._known) > _KEPT_ACCOUNTS:
            self._known.popitem(last=False)

    def grown(self, cell: str, device_index: int, now: Account) -> str | None:
        """Return the name that holds most of what has come since; `None`: no one does."""
        from ..holders.account import largest_growth

        before = self._known.pop(cell, None)
        return None if before is None else largest_growth(before, now, device_index)


def collector(account: Account, device_index: int, size: int) -> tuple[str, int] | None:
    """Return the name under which a loop has collected most of `size` bytes, and what it holds.

    Without an account from before it: parameters and gradients, which no loop grows, are left out.
    """
    device = account.device(device_index)
    held = {
        row.name: sum(
            storage.storage.bytes for storage in row.held if storage.kind not in _OF_A_MODEL
        )
        for row in (device.rows if device is not None else ())
        if row.name
    }
    name = max(held, key=lambda holder: held[holder], default=None)
    return (name, held[name]) if name is not None and held[name] >= _MOST_OF_IT * size else None
