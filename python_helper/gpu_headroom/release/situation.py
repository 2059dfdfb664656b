"""What items are found from: the kernel as it is now."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..holders.survey import survey
from .reachable import Reachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cells import CellRun
    from ..holders.survey import Survey
    from ..wire import Message


class Situation:
    """The kernel between two cells, looked at once for all items; made anew for each plan.

    `cells` are the latest runs of all cells, oldest first. `moved` is the session's own list of
    what was moved to the host, by name. `poisoned` says that CUDA failed for good: then nothing
    may touch the GPU.
    """

    def __init__(
        self,
        shell: Any,
        cells: tuple[CellRun, ...] = (),
        moved: dict[str, Any] | None = None,
        poisoned: Message | None = None,
        failed: Callable[[str, BaseException], None] | None = None,
    ) -> None:
        self.shell = shell
        self.cells = cells
        self.moved: dict[str, Any] = {} if moved is None else moved
        self.poisoned = poisoned
        self.reachable = Reachable(shell)
        self._failed = failed

    def failed(self, part: str, error: BaseException) -> None:
        """Report that items of one kind could not be found; raises it where nobody listens."""
        if self._failed is None:
            raise error
        self._failed(part, error)

    @cached_property
    def found(self) -> Survey | None:
        """Who holds what; `None` where no framework is loaded."""
        return survey(self.shell, elsewhere=False)
