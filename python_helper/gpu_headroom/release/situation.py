"""What items are found from: the kernel as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..cells import CellRun
    from ..holders.survey import Survey
    from ..wire import Message
    from .reachable import Reachable


@dataclass(frozen=True, slots=True)
class Situation:
    """The kernel between two cells, surveyed once for all items.

    `found` is `None` where no framework is loaded. `cells` are the latest runs of all cells,
    oldest first. `moved` is the session's own list of what was moved to the host, by name.
    `poisoned` says that CUDA failed for good: then nothing may touch the GPU.
    """

    shell: Any
    found: Survey | None
    reachable: Reachable
    cells: tuple[CellRun, ...]
    moved: dict[str, Any]
    poisoned: Message | None
