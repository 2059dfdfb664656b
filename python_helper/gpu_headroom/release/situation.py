"""What items are found from: the kernel as it is now."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..holders.storage import Torch
from ..holders.walk import Walk
from .known import Known
from .models import Models
from .reachable import Reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..cells import CellRun
    from ..wire import Message


class Situation:
    """The kernel between two cells, looked at once for all items; made anew for each plan.

    `cells` are the latest runs of all cells, oldest first. `moved` is the session's own list of
    what was moved to the host, by name. `poisoned` says that CUDA failed for good: then nothing
    may touch the GPU. `known`, `models` and `reachable` are there while it is `looking`.
    """

    known: Known
    reachable: Reachable

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
        self._failed = failed

    def failed(self, part: str, error: BaseException) -> None:
        """Report that items of one kind could not be found; raises it where nobody listens."""
        if self._failed is None:
            raise error
        self._failed(part, error)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Take what would come back, before anybody of ours holds on to a part of it.

        Objects of the user's are held only meanwhile: they may be about to be freed.
        """
        walk = Walk(Torch.loaded(whole_blocks=True))
        self.known = Known(walk)
        self.reachable = Reachable(self.shell, walk, self.known)
        try:
            yield
        finally:
            for name in ("known", "models", "reachable"):
                vars(self).pop(name, None)

    @cached_property
    def models(self) -> Models:
        """The models that variables name."""
        return Models(self.shell, self.reachable.memory)
