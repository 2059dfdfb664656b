"""The kernel's host memory and what the host has left, from /proc and control groups.

On systems other than Linux only the total is known, through the standard library.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import system
from .snapshot import HostReading

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path("/")
# "No limit" of cgroup v1 is the largest multiple of the page size in a signed 64-bit number.
_NO_LIMIT = 2**60
_LOOK_AGAIN_S = 60.0
_PART_BYTES = 2**16


class _Group(NamedTuple):
    """The files of a control group, and the `stat` key of its reclaimable memory."""

    limit: Path
    usage: Path
    events: Path
    stat: Path
    reclaimable: str


class HostFiles:
    """Files with host memory figures; the control groups with a limit are found once a minute."""

    def __init__(self, root: Path = _ROOT) -> None:
        self._root = root
        self._limited: list[_Group] = []
        self._events: Path | None = None
        self._looked_s = float("-inf")

    def read(self) -> HostReading:
        """Read resident, available and total bytes; a container's limit counts as the total."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= _LOOK_AGAIN_S:
            groups = [*_groups(self._root)]
            counting = [*[group.events for group in groups], self._root / "proc/vmstat"]
            self._events = next((file for file in counting if _oom_kills(file) is not None), None)
            self._limited = [group for group in groups if _limit(group) is not None]
            self._looked_s = now_s
        meminfo = text_of(self._root / "proc/meminfo")
        physical = system.physical_bytes() if self._root == _ROOT else None
        machine = total = _kib(meminfo, "MemTotal:") or physical
        machine_available = available = _kib(meminfo, "MemAvailable:")
        for limit, used in filter(None, map(_limit, self._limited)):
            total = limit if total is None else min(total, limit)
            rest = max(0, limit - used)
            available = rest if available is None else min(available, rest)
        fields, size = text_of(self._root / "proc/self/statm").split(), system.page_bytes()
        resident = int(fields[1]) * size if len(fields) > 1 and size is not None else None
        kills = None if self._events is None else _oom_kills(self._events)
        return HostReading(resident, available, total, kills, machine_available, machine)


def read(root: Path = _ROOT) -> HostReading:
    """Read the host memory once."""
    return HostFiles(root).read()


def _groups(root: Path) -> Iterator[_Group]:
    """Yield this process's control group and those above it."""
    for line in text_of(root / "proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            names = ["max", "current", "events", "stat"]
            base, reclaimable = root / "sys/fs/cgroup", "inactive_file"
        elif "memory" in controllers.split(","):
            names = ["limit_in_bytes", "usage_in_bytes", "oom_control", "stat"]
            base, reclaimable = root / "sys/fs/cgroup/memory", "total_inactive_file"
        else:
            continue
        group = Path(path.lstrip("/"))
        for folder in (base / group, *(base / parent for parent in group.parents)):
            limit, usage, events, stat = [folder / f"memory.{name}" for name in names]
            yield _Group(limit, usage, events, stat, reclaimable)


def _limit(group: _Group) -> tuple[int, int] | None:
    """Return limit and use of a group in bytes; `None` where it has no limit."""
    most = text_of(group.limit)
    if not most.isdigit() or int(most) >= _NO_LIMIT:
        return None
    used = text_of(group.usage)
    if not used.isdigit():
        return None
    # File pages that were not used recently are reclaimed before the limit is reached.
    given_up = _number(text_of(group.stat), group.reclaimable) or 0
    return int(most), max(0, int(used) - given_up)


def _oom_kills(file: Path) -> int | None:
    """Return how many processes the system has killed because memory ran out.

    From a control group's file: in the group, and in those below it in version 2 (cgroup-v2.rst,
    memory.events), for any limit, the machine's included. From /proc/vmstat: on the whole machine.
    Since Linux 4.13.
    """
    return _number(text_of(file), "oom_kill")


def _kib(text: str, key: str) -> int | None:
    value = _number(text, key)
    return None if value is None else value * 1024


def _number(text: str, key: str) -> int | None:
    """Return the number on the line that begins with `key`; `None` without one."""
    start = 0 if text.startswith(f"{key} ") else text.find(f"\n{key} ") + 1
    fields = text[start : start + 200].split(None, 2)
    return int(fields[1]) if len(fields) > 1 and fields[0] == key and fields[1].isdigit() else None


def text_of(path: Path) -> str:
    """Return the text of a small system file, empty where it cannot be read.

    Each system call releases the GIL for a while, and `open` makes twice as many.
    """
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        parts = [*iter(partial(os.read, file, _PART_BYTES), b"")]
    except OSError:
        return ""
    finally:
        os.close(file)
    return b"".join(parts).decode("utf-8", "replace").strip()
