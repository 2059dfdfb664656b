"""What items are found from: the kernel as it is now."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Late, Turn
from ..frameworks.torch.private import is_opaque
from ..holders.storage import Torch
from ..holders.walk import Walk
from ..inspection.classes import comes_from
from .known import Known
from .models import Models
from .reachable import Reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..cells.runs import CellRun
    from ..protocol.wire import Message


class Situation:
    """The kernel between two cells, looked at once for all items; made anew for each plan.

    `turn` is the time there is for all of it, a short one that nobody asked for unless given.
    `cells` are the latest runs of all cells, oldest first. `moved` is the session's own list of
    what was moved to the host, by name. `stopped` says that CUDA failed for good: then nothing may
    touch the GPU. `wanted` are the items that are asked for, by id. `known`, `models` and
    `reachable` are there while it is `looking` and `sees`: not beside a thread that is inside a
    framework. `complete` is false where the time was over before all was come to.
    """

    known: Known
    reachable: Reachable
    _walk: Walk

    def __init__(  # noqa: PLR0913, PLR0917 — what the session knows of the kernel
        self,
        shell: Any,
        turn: Turn | None = None,
        cells: tuple[CellRun, ...] = (),
        moved: dict[str, Any] | None = None,
        stopped: Message | None = None,
        failed: Callable[[str, BaseException], None] | None = None,
    ) -> None:
        self.shell = shell
        self.turn = turn or Turn(asked=False)
        self.complete = True
        self.wanted: Collection[str] = ()
        self.cells = cells
        self.moved: dict[str, Any] = {} if moved is None else moved
        self.stopped = stopped
        self._failed = failed

    def failed(self, part: str, error: BaseException) -> None:
        """Report that items of one kind could not be found; raises it where nobody listens."""
        if self._failed is None:
            raise error
        self._failed(part, error)

    @property
    def sees(self) -> bool:
        """Whether it has been looked at what would come back."""
        return "reachable" in vars(self)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Take what would come back, before anybody of ours holds on to a part of it.

        Objects of the user's are held only meanwhile: they may be about to be freed.
        """
        with self.turn.walking():
            try:
                self._look()
                yield
            finally:
                for name in ("known", "models", "reachable", "_walk"):
                    vars(self).pop(name, None)

    def is_array(self, value: object) -> bool:
        """Whether an object is an array of a framework, while it is looking."""
        torch = self._walk.torch
        kinds = [each for one in self._walk.arrays for each in one.kinds]
        return comes_from(type(value), None if torch is None else torch.tensor, *kinds)

    def _look(self) -> None:
        walk = self._walk = Walk(Torch.loaded(whole_blocks=True), self.turn)
        self.complete &= not is_opaque()
        if not walk.native:
            return
        try:
            known = Known(walk)
            reachable = Reachable(self.shell, walk, known)
        except Late:
            self.complete = False
        else:
            self.known, self.reachable = known, reachable
            self.complete &= reachable.whole

    @cached_property
    def models(self) -> Models:
        """The models that variables name."""
        return Models(self.shell, self.turn, self.reachable.memory)
