"""The kernel's own host memory and what the host has left, from /proc and control groups.

Other systems than Linux tell only the total through the standard library; the rest is unknown.
"""

from __future__ import annotations

import os
from pathlib import Path

from .snapshot import HostReading

_ROOT = Path("/")
# "No limit" of cgroup v1 is the largest multiple of the page size in a signed 64-bit number.
_NO_LIMIT = 2**60


def read(root: Path = _ROOT) -> HostReading:
    """Read resident, available and total bytes; a container's limit counts as the total."""
    meminfo = _numbers(root / "proc/meminfo")
    total = _kib(meminfo, "MemTotal:") or _physical(root)
    available = _kib(meminfo, "MemAvailable:")
    for limit, used in _limits(root):
        total = limit if total is None else min(total, limit)
        left = max(0, limit - used)
        available = left if available is None else min(available, left)
    return HostReading(_resident(root), available, total)


def _resident(root: Path) -> int | None:
    fields = text_of(root / "proc/self/statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else None


def _physical(root: Path) -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if root == _ROOT else None
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _limits(root: Path) -> list[tuple[int, int]]:
    """Limit and use of this process's control group and of those above it, where limited."""
    found = []
    for line in text_of(root / "proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            names = ("memory.max", "memory.current", "inactive_file")
            base = root / "sys/fs/cgroup"
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            base = root / "sys/fs/cgroup/memory"
        else:
            continue
        group = Path(path.lstrip("/"))
        for folder in (base / group, *(base / parent for parent in group.parents)):
            limit = _limit(folder, *names)
            if limit is not None:
                found.append(limit)
    return found


def _limit(folder: Path, limit: str, usage: str, reclaimable: str) -> tuple[int, int] | None:
    most, used = text_of(folder / limit), text_of(folder / usage)
    if not most.isdigit() or not used.isdigit() or int(most) >= _NO_LIMIT:
        return None
    # Pages of files that nobody has used lately are given up before the limit is reached.
    given_up = _numbers(folder / "memory.stat").get(reclaimable, 0)
    return int(most), max(0, int(used) - given_up)


def _kib(numbers: dict[str, int], key: str) -> int | None:
    value = numbers.get(key)
    return None if value is None else value * 1024


def _numbers(path: Path) -> dict[str, int]:
    """Read lines that begin with a key and a number."""
    rows = (line.split() for line in text_of(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def text_of(path: Path) -> str:
    """Return what a small file of the system says, nothing where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
