"""The walk from objects to storages: breadth first, iterative, within the time of a turn."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from, compare_plainly
from ..inspection.kinds import name_of
from . import arrays, containers, frames, modules, objects, optimizers, tensors
from .graphs import visit_graphs
from .ledger import StorageLedger
from .place import Place
from .reach import leads_nowhere
from .sharing import row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..concurrency.turns import Turn
    from .arrays import Arrays
    from .place import Origin
    from .storage import Storage, Torch

    Visit = Callable[["Walk", Any, Place], None]

__all__ = ["Place", "Walk"]

_DEPTH = 10
_CHECK_EVERY = 64
_FIRST: tuple[object, ...] = (modules.visit, optimizers.visit, tensors.visit)


class Walk:
    """One walk over any number of roots. `truncated` tells that its turn ended some of it.

    `results` are the tensors met that a graph hangs on; `into_graphs` goes on into the graphs.
    Neither gradients nor graphs are looked at where the turn is not `native`.
    """

    def __init__(self, torch: Torch | None, turn: Turn, *, into_graphs: bool = True) -> None:
        self.torch = torch
        self.turn = turn
        self.native = turn.native
        self.arrays: list[Arrays] = arrays.loaded()
        self.ledger = StorageLedger()
        self.graphs: list[tuple[Any, Place]] = []
        self.results: list[tuple[Any, Place]] = []
        self.errors: list[tuple[Any, Place]] = []
        self.models: list[modules.Model] = []
        self.type_names: dict[tuple[Origin, str], str] = {}
        # What classes look like is kept for one walk only: it would keep a user's classes alive.
        self.layouts: dict[int, objects.Layout] = {}
        self.saved_names: dict[type, tuple[str, ...]] = {}
        self.nodes: dict[Any, int] = {}
        self.truncated = False
        self.plain_classes = compare_plainly()
        self._into_graphs = into_graphs
        self._until = 1.0
        self._late = False
        self._kinds: dict[int, tuple[type, Visit | None]] = {}
        self._seen: dict[int, tuple[Any, Place]] = {}
        self._waiting: deque[tuple[Any, Place]] = deque()
        self._long: list[tuple[Any, Place]] = []
        self._opens_long = False
        self._steps = 0

    def run(
        self, roots: Iterable[tuple[Any, Place]], *, until: float = 1.0, long: bool = True
    ) -> None:
        """Walk from `roots` until a share of the time is spent.

        Models and optimizers come first, so that tensors get their true kind; then what the
        graphs found so far keep; all others side by side, what is near a name before what is
        deep below another. Long containers come last, or wait for `open_long`: a data set must
        not use up the time of all others.
        """
        self._set_deadline(until)
        for value, place in sorted(roots, key=lambda each: self._rank(each[0])):
            if place.parent is None:
                kind = str.__str__(name_of(type(value)))
                self.type_names[row_of(place)] = kind
            self._waiting.append((value, place))
            if self._rank(value) < len(_FIRST):
                self._drain()
        self._drain()
        self._visit_graphs()
        if long:
            self.open_long(until=until)

    def open_long(self, *, until: float = 1.0) -> None:
        """Visit the long containers met so far."""
        self._set_deadline(until)
        put_off, self._long = self._long, []
        self._opens_long = True
        for value, place in put_off:
            visit = self.visit_of(type(value))
            if visit is not None and not self._look_at_clock():
                with self.quiet():
                    self._visit(visit, value, place)
                self._drain()
        self._opens_long = False
        self._visit_graphs()

    def push(self, value: Any, place: Place) -> None:
        """Have an object visited later, unless it can hold nothing."""
        if place.depth <= _DEPTH and self.visit_of(type(value)) is not None:
            self._waiting.append((value, place))

    def enter(self, storage: Storage, place: Place, *, graph: bool = False) -> None:
        """Note that a storage was found; it belongs to the first place it was found at."""
        self.ledger.add(storage, place, graph=graph)

    def out_of_time(self) -> bool:
        """Whether the time is spent; looked up now and then only, as is whether to make way."""
        self._steps += 1
        return self._look_at_clock() if self._steps % _CHECK_EVERY == 0 else self._late

    def seen(self, value: object) -> bool:
        """Whether the walk has been at an object."""
        return id(value) in self._seen

    def put_off(self, container: Any, place: Place) -> bool:
        """Have a long container visited after all others; false where it is time for it now."""
        if not self._opens_long:
            self._long.append((container, place))
        return not self._opens_long

    def worth_opening(self, members: list[Any]) -> bool:
        """Whether some of many members may lead to GPU memory."""
        return not self._look_at_clock() and not leads_nowhere(self, members)

    def visit_of(self, kind: type) -> Visit | None:
        """Return how objects of a class are looked into; decided once per class."""
        try:
            return self._kinds[id(kind)][1]
        except KeyError:
            visit = self._decide(kind)
            self._kinds[id(kind)] = kind, visit
            return visit

    def quiet(self) -> contextlib.AbstractContextManager[Any]:
        """Keep `__torch_function__` of subclasses from being run."""
        return self.torch.quiet() if self.torch is not None else contextlib.nullcontext()

    def _visit_graphs(self) -> None:
        if self._into_graphs:
            visit_graphs(self)

    def _look_at_clock(self) -> bool:
        self.turn.pause()
        if not self._late and self.turn.beyond(self._until):
            self._late = self.truncated = True
        return self._late

    def _decide(self, kind: type) -> Visit | None:
        torch = self.torch
        if torch is not None:
            if comes_from(kind, torch.tensor):
                return tensors.visit
            if comes_from(kind, torch.nn_module):
                return modules.visit
            if comes_from(kind, torch.optimizer):
                return optimizers.visit
        if any(comes_from(kind, *each.kinds) for each in self.arrays):
            return arrays.visit
        return containers.visit_of(kind) or frames.visit_of(kind) or objects.visit_of(kind)

    def _rank(self, value: object) -> int:
        visit = self.visit_of(type(value))
        return _FIRST.index(visit) if visit in _FIRST else len(_FIRST)

    def _set_deadline(self, until: float) -> None:
        self._until = until
        self._late = False

    def _drain(self) -> None:
        waiting, seen = self._waiting, self._seen
        with self.quiet():
            while waiting and not self.out_of_time():
                value, place = waiting.popleft()
                visit = self.visit_of(type(value))
                if visit is None:
                    continue
                known = seen.get(id(value))
                if known is not None:
                    self.ledger.met_again(known[1], place)
                if known is None or place.rank < known[1].rank:
                    seen[id(value)] = value, place
                    self._visit(visit, value, place)
        waiting.clear()

    def _visit(self, visit: Visit, value: Any, place: Place) -> None:
        try:
            visit(self, value, place)
        except RuntimeError:
            self.truncated = True  # another thread changed it while it was read
