"""Leases by which clients receive events; they end unless renewed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .generated.requests import Options

LEASE_S = 30.0
EDGES_LEASE_S = 90.0
_SLOWEST_HZ, _FASTEST_HZ = 0.2, 10.0
_MOST_CLIENTS = 64
_CAUTION = ("never", "ask", "free")
_MEASURE = ("never", "asked", "ask")


@dataclass(frozen=True, slots=True)
class _Lease:
    ends_s: float
    visible: bool
    rate_hz: float
    options: Options | None


class Leases:
    """Clients that receive events: until when, at what rate, and with which options.

    A lease ends unless renewed. A visible client gets readings; a hidden one gets only the starts
    and ends of cells, and its lease is longer, so that it needs few requests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._leases: dict[str, _Lease] = {}

    def renew(
        self,
        client_id: str,
        *,
        visible: bool,
        rate_hz: float,
        options: Options | None = None,
    ) -> float:
        """Start or renew a client's lease, and return its length in seconds."""
        lease_s = LEASE_S if visible else EDGES_LEASE_S
        lease = _Lease(self._clock() + lease_s, visible, rate_hz, options)
        self._leases = self._fresh() | {client_id: lease}
        while len(self._leases) > _MOST_CLIENTS:
            del self._leases[next(iter(self._leases))]
        return lease_s

    def touch(self, client_id: str, default_hz: float) -> None:
        """Renew a client's lease with its former options; a client with a request is visible."""
        lease = self._leases.get(client_id)
        rate_hz, options = (lease.rate_hz, lease.options) if lease else (default_hz, None)
        self.renew(client_id, visible=True, rate_hz=rate_hz, options=options)

    def end(self, client_id: str) -> None:
        """End a client's lease."""
        lease = self._leases.get(client_id)
        if lease is not None:
            ended = replace(lease, ends_s=min(lease.ends_s, self._clock()))
            self._leases = self._leases | {client_id: ended}

    def wanted_hz(self) -> float | None:
        """Return the highest rate of a visible client; `None` without one."""
        rates = [lease.rate_hz for lease in self._fresh().values() if lease.visible]
        return min(max(*rates, _SLOWEST_HZ), _FASTEST_HZ) if rates else None

    def options(self) -> Options:
        """Return the options that all current clients accept: the cautious value of each.

        Without a client, those of the one whose lease ended last: a cell may run for hours after
        its front end was closed, and fail then.
        """
        wishes = [lease.options for lease in self._fresh().values() if lease.options]
        leases = sorted(self._leases.values(), key=lambda lease: lease.ends_s)
        return _cautious(wishes or [lease.options for lease in leases if lease.options][-1:])

    def any(self) -> bool:
        """Whether there is a client, visible or not."""
        return bool(self._fresh())

    def _fresh(self) -> dict[str, _Lease]:
        now_s = self._clock()
        return {key: lease for key, lease in self._leases.items() if lease.ends_s > now_s}


def _cautious(wishes: list[Options]) -> Options:
    after_oom = [options["after_oom"] for options in wishes]
    measure = [options.get("measure_workers", "ask") for options in wishes]
    return {
        "mark_cells": all(options["mark_cells"] for options in wishes),
        "keep_reports": all(options["keep_reports"] for options in wishes),
        "name_others": all(options["name_others"] for options in wishes),
        "record_allocations": bool(wishes)
        and all(options["record_allocations"] for options in wishes),
        "after_oom": min(after_oom, key=_CAUTION.index, default="ask"),
        "measure_workers": min(measure, key=_MEASURE.index, default="ask"),
    }
