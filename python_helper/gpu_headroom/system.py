"""Functions for names that Python does not have on every system.

Other files use only what Windows, macOS and Linux all have, which `make types` checks on each.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process at once; on Windows, where every signal does, the one that there is."""


class RunningProcess(NamedTuple):
    """A process that is there; `born` tells it from another that has its number later."""

    born: str
    is_child: bool


def process(pid: int | str = "self") -> RunningProcess | None:
    """Return a process; `None` if it has ended, even if its parent has not noticed, or no `/proc`.

    Reads `/proc` only: a parent can still wait for the process.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            # The name in front of it may have any signs, proc(5).
            state, parent, *fields = file.read().rpartition(b") ")[2].split()
    except (OSError, ValueError):
        return None
    return (
        None if state in b"ZX" else RunningProcess(fields[17].decode(), int(parent) == os.getpid())
    )


def follow_forks(**hooks: Callable[[], object]) -> None:
    """Register fork hooks, with the arguments of `os.register_at_fork`; no effect on Windows."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**hooks)


def host_name() -> str:
    """Return what this machine is called; on Windows nothing where its environment has no name."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def user_id() -> int:
    """Return the user as `os.stat` names the owner of a file, which on Windows is always 0."""
    return os.getuid() if hasattr(os, "getuid") else 0


def has_wddm() -> bool:
    """Whether Windows manages GPU memory (its driver model WDDM): in Windows and in WSL."""
    return sys.platform == "win32" or os.path.exists("/dev/dxg")  # noqa: PTH110


def page_bytes() -> int | None:
    """Return the size of a page of memory; `None` where the system does not tell (Windows)."""
    return _configured("SC_PAGE_SIZE")


def physical_bytes() -> int | None:
    """Return the machine's memory; `None` where the system does not tell (Windows)."""
    pages, size = _configured("SC_PHYS_PAGES"), page_bytes()
    return None if pages is None or size is None else pages * size


def kill_group(leader: int) -> None:
    """End a process and those that it leads; 0: this one. On Windows only the process itself.

    Raises `OSError` where there is none.
    """
    if hasattr(os, "killpg"):
        os.killpg(leader, KILL)
    elif leader:
        os.kill(leader, KILL)


def _configured(name: str) -> int | None:
    if hasattr(os, "sysconf"):
        with suppress(ValueError, OSError):
            value: int = os.sysconf(name)
            return value
    return None
