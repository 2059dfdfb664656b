"""Growth of a cell from run to run, and the name that holds what grows."""

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

_RUNS = 3  # consecutive runs that kept about the same
_LEAST_BYTES = 50 * MIB  # kept by each run
_ALIKE = 0.1  # of the largest: maximum difference between runs
_MOST_OF_IT = 0.5  # minimum share of the growth of a holder to be named
_KEPT_ACCOUNTS = 8
_OF_A_MODEL = ("parameters", "gradients")


def growth_of(runs: Sequence[CellRun]) -> wire.Growth | None:
    """Return the growth of a cell per run; `None` where its last runs show none.

    `runs` are of one cell. The last three must each have kept at least 50 MiB, about the same
    amount, and none of it may have been freed since.
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
    """Return the devices on which the last two runs of one cell grew by about the same."""
    devices = [memory["device_index"] for memory in runs[-1].memory]
    return [device for device in devices if len(_alike(runs[-2:], device)) > 1]


def _alike(runs: Sequence[CellRun], device_index: int) -> list[int]:
    """Return the bytes each run kept; empty unless all kept much, about the same, for good."""
    memories = [memory for run in runs if (memory := run.on(device_index)) is not None]
    changes = [reading["change_bytes"] or 0 for reading in memories]
    enough = len(changes) == len(runs) and min(changes) >= _LEAST_BYTES
    alike = enough and max(changes) - min(changes) <= _ALIKE * max(changes)
    return changes if alike and _stays(memories, changes) else []


def _stays(found: Sequence[wire.CellMemory], changes: Sequence[int]) -> bool:
    """Whether each run began higher than the one before it, so that nothing kept was freed."""
    starts = [(memory["peak_bytes"] or 0) - (memory["needed_bytes"] or 0) for memory in found]
    rises = [later - earlier for earlier, later in pairwise(starts)]
    return all(rise >= _MOST_OF_IT * change for rise, change in zip(rises, changes, strict=False))


class Accounts:
    """Memory by name after the second growing run of a cell, for comparison with the third.

    Of the last 8 suspected cells; an account holds no reference to the user's objects.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Account] = OrderedDict()

    def keep(self, cell: str, account: Account | None) -> None:
        """Store an account, if there is one."""
        if account is None:
            return
        self._known[cell] = account
        while len(self._known) > _KEPT_ACCOUNTS:
            self._known.popitem(last=False)

    def grown(self, cell: str, device_index: int, now: Account) -> str | None:
        """Return the name that holds most of the growth since; `None` if no name does."""
        from ..holders.account import largest_growth

        before = self._known.pop(cell, None)
        return None if before is None else largest_growth(before, now, device_index)


def collector(account: Account, device_index: int, size: int) -> tuple[str, int] | None:
    """Return the name that holds most of `size` bytes that a loop has added, and its bytes.

    `None` without one. There is no account from before the loop, so parameters and gradients, which
    no loop grows, are left out.
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
