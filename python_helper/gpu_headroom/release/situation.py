"""State of the kernel in which items are found."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import TimeLimitError, Turn
from ..frameworks.torch.private import is_opaque
from ..holders.inspector import Inspector
from .heap import Candidates, Heap
from .models import Models

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..cells.runs import CellRun
    from ..protocol.generated.wire import Message


class Situation:
    """State of the kernel between two cells, read once for all items and again for each plan.

    `turn` limits the time for all of it; by default it is short, as for work without a request.
    `cells` are the latest runs of all cells, oldest first. `kept` is what wings store from one plan
    to the next. `stopped`: CUDA has failed for good, so nothing may touch the GPU. `wanted` are the
    ids of the requested items, while `looking`. `candidates`, `heap` and `models` exist only while
    it `sees`, which is not the case beside a thread that is inside a framework. `complete` is false
    if the time was over before the end.
    """

    candidates: Candidates
    heap: Heap
    inspector: Inspector
    wanted: Collection[str]

    def __init__(  # noqa: PLR0913, PLR0917 — what the session knows of the kernel
        self,
        shell: Any,
        turn: Turn | None = None,
        cells: tuple[CellRun, ...] = (),
        kept: dict[str, Any] | None = None,
        stopped: Message | None = None,
        failed: Callable[[str, BaseException], None] | None = None,
    ) -> None:
        self.shell = shell
        self.turn = turn or Turn(asked=False)
        self.complete = True
        self.cells = cells
        self.wanted: frozenset[str] = frozenset()
        self.kept: dict[str, Any] = {} if kept is None else kept
        self.stopped = stopped
        self._failed = failed

    def failed(self, part: str, error: BaseException) -> None:
        """Report that items of one kind could not be found; raise `error` without a callback."""
        if self._failed is None:
            raise error
        self._failed(part, error)

    @property
    def sees(self) -> bool:
        """Whether it has been looked at what would come back."""
        return "heap" in vars(self)

    @contextmanager
    def looking(self, wanted: Collection[str] = ()) -> Iterator[None]:
        """Read the reference graph, before the helper refers to any part of it.

        References to the user's objects exist only meanwhile, as these may be freed afterwards.
        """
        with self.turn.walking():
            try:
                self.wanted = wanted
                self._look()
                yield
            finally:
                for name in ("candidates", "heap", "inspector", "models", "wanted"):
                    vars(self).pop(name, None)

    def _look(self) -> None:
        self.inspector = Inspector(self.turn, whole_blocks=True)
        self.complete &= not is_opaque()
        if not self.inspector.reads_graphs:
            return
        try:
            self.candidates = Candidates.listed(self.inspector)
            self.heap = Heap(self.shell, self.inspector, self.candidates)
            self.complete &= self.heap.whole
        except TimeLimitError:
            self.complete = False

    @cached_property
    def models(self) -> Models:
        """The models that variables name."""
        return Models(self.shell, self.inspector, self.heap.memory)
