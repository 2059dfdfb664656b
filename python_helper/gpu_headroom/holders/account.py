"""Account of the memory in use on each device: a list of parts that add up to it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..text.messages import message
from .parts import add_up
from .place import UNNAMED
from .sharing import Sharing
from .survey import survey
from .table import Row, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..concurrency.turns import Turn
    from ..protocol.generated import wire
    from ..protocol.generated.wire import PartKind
    from ..readings.snapshot import DeviceReading, DeviceSnapshot
    from .place import Place
    from .survey import Survey
    from .table import SiteOf

_MOST_ROWS = 100
_GREW = 0.5  # of what a device has more in use must be one holder's, to name it


@dataclass(frozen=True, slots=True)
class DeviceAccount:
    """One device, in bytes. `in_use_bytes` is never less than what was found."""

    device_index: int
    in_use_bytes: int
    parts: Mapping[PartKind, int]
    surplus_bytes: int
    """Found beyond what the frameworks count: shared memory, or made since the reading."""
    rows: tuple[Row, ...]

    @property
    def held_bytes(self) -> int:
        """Bytes retained by names, or by graphs of named tensors."""
        return self.parts["named"] + self.parts["graphs"]


@dataclass(frozen=True, slots=True)
class Found:
    """The largest storage of a holder; the first of `ways` is the one that is shown."""

    graph: bool
    key: object
    ways: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class Account:
    """One measurement; it holds no object of the user's."""

    time_s: float
    duration_s: float
    complete: bool
    devices: tuple[DeviceAccount, ...]
    message: wire.Message
    _sharing: Sharing = field(repr=False)

    def device(self, device_index: int) -> DeviceAccount | None:
        """Return the account of one device."""
        return next(
            (account for account in self.devices if account.device_index == device_index), None
        )

    def find(self, holder_id: str) -> Found | None:
        """Return the holder with an id of this or an earlier account; `None` if it is gone."""
        for row in (row for device in self.devices for row in device.rows):
            for part in row.parts:
                if holder_id in (row.id, part.id):
                    first = part.held[0]
                    return Found(first.graph, first.storage.key, self._sharing.ways(first))
        return None

    def as_wire(  # noqa: PLR0913 — what else belongs to the event is known to others
        self,
        helper_id: str,
        request_id: str | None,
        *,
        execution_count: int | None = None,
        recording: bool = False,
        processes: Mapping[int, list[wire.Process] | None] | None = None,
        site_of: SiteOf | None = None,
    ) -> wire.Holders:
        """Return the event."""
        return {
            "type": "holders",
            "helper_id": helper_id,
            "request_id": request_id,
            "time_s": self.time_s,
            "duration_s": self.duration_s,
            "complete": self.complete,
            "execution_count": execution_count,
            "recording": recording,
            "devices": [
                {
                    "device_index": account.device_index,
                    "in_use_bytes": account.in_use_bytes,
                    "parts": [
                        {"kind": kind, "bytes": size} for kind, size in account.parts.items()
                    ],
                    "rows": [row.as_wire(site_of) for row in account.rows[:_MOST_ROWS]],
                    "processes": (processes or {}).get(account.device_index),
                }
                for account in self.devices
            ],
            "message": self.message,
        }


def take(shell: Any, snapshot: DeviceSnapshot | None, turn: Turn) -> Account:
    """Account for all that `snapshot`, a reading of this moment, says is in use.

    Call between cells. May raise `ConcurrentUseError`.
    """
    start_s = time.perf_counter()
    census = survey(shell, turn, for_account=True)
    readings = snapshot.devices if snapshot is not None else ()
    sharing = Sharing(census.ledger if census is not None else None)
    devices = tuple([_device(device, census, sharing) for device in readings if device.frameworks])
    complete = census is None or census.ended is None
    return Account(
        time_s=time.time(),
        duration_s=time.perf_counter() - start_s,
        complete=complete,
        devices=devices,
        message=_said(devices, census),
        _sharing=sharing,
    )


def largest_growth(before: Account, after: Account, device_index: int) -> str | None:
    """Return the name of the holder that most of what a device has more in use is held by.

    `None` where no single name explains at least half of it: silence beats a guess.
    """
    earlier, later = before.device(device_index), after.device(device_index)
    if earlier is None or later is None:
        return None
    grown: Counter[str] = Counter({row.name: row.bytes for row in later.rows if row.name})
    grown.subtract({row.name: row.bytes for row in earlier.rows if row.name})
    name, size = max(grown.items(), key=lambda item: item[1], default=("", 0))
    least = _GREW * (later.in_use_bytes - earlier.in_use_bytes)
    return name if size > 0 and size >= least else None


def _device(reading: DeviceReading, found: Survey | None, sharing: Sharing) -> DeviceAccount:
    rows = rows_of(reading.index, found, sharing) if found is not None else ()
    named = graph = unnamed = 0
    for row in rows:
        if row.origin in UNNAMED:
            unnamed += row.bytes
        else:
            graph += row.graph_bytes
            named += row.bytes - row.graph_bytes
    in_use = max(reading.in_use_bytes, named + graph + unnamed)
    held: list[tuple[PartKind, int]] = [("named", named), ("graphs", graph), ("unnamed", unnamed)]
    unheld = found.unheld_on(reading.index) if found is not None else {}
    return DeviceAccount(
        device_index=reading.index,
        in_use_bytes=in_use,
        parts=add_up(in_use, [*held, *unheld.items()]),
        surplus_bytes=in_use - reading.in_use_bytes,
        rows=rows,
    )


def _said(devices: Sequence[DeviceAccount], found: Survey | None) -> wire.Message:
    in_use = sum(account.in_use_bytes for account in devices)
    surplus = sum(account.surplus_bytes for account in devices)
    if not devices:
        return message("holders.not_measured")
    if found is not None and found.ended is not None:
        return found.ended
    if surplus:
        return message("holders.surplus", surplus_bytes=surplus)
    if not in_use:
        return message("holders.nothing")
    held = sum(account.held_bytes for account in devices)
    part = found is not None and found.part_of_graphs
    which = "holders.measured_in_part" if part else "holders.measured"
    return message(which, held_bytes=held, in_use_bytes=in_use)
