"""What the system says of a process."""

from __future__ import annotations

import os
from typing import NamedTuple


class RunningProcess(NamedTuple):
    """A process that is there; `born` tells it from another that has its number later."""

    born: str
    is_child: bool


def process(pid: int | str = "self") -> RunningProcess | None:
    """Return a process; `None` where it has ended, whether or not its parent knows, or no `/proc`.

    Only asked: whoever started it hears of its end as ever.
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
