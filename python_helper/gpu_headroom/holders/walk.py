"""The walk from objects to storages: breadth first, iterative, within the time of a turn."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import name_of
from . import arrays, modules
from .graphs import visit_graphs
from .ledger import StorageLedger
from .reach import LONG, promising
from .sharing import row_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .inspector import Inspector
    from .place import Origin, Place
    from .visit import Visit

_DEPTH = 10
_CHECK_EVERY = 64
_FIRST: tuple[object, ...] = (modules.visit, modules.visit_optimizer, arrays.visit_tensor)


class Walk:
    """One walk over any number of roots.

    `truncated`: the turn ended before the walk did. `unlisted`: there were too many objects to get
    those that no name reaches from the gc. `promises` are suspended functions and Futures from the
    gc. `results` are the tensors found that have a graph. `into_graphs`: also walk the graphs.
    `saved` are the storages that nodes retain. `saved_from` are the nodes that made what graphs
    may have saved, with the place of the graph. `reached` are the storages of the parameters that
    graphs of failed functions lead to.
    """

    def __init__(self, inspector: Inspector, *, into_graphs: bool = True) -> None:
        self.inspector = inspector
        self.ledger = StorageLedger()
        self.graphs: list[tuple[Any, Place]] = []
        self.results: list[tuple[Any, Place]] = []
        self.errors: list[tuple[Any, Place]] = []
        self.models: list[modules.Model] = []
        self.promises: list[Any] = []
        self.type_names: dict[tuple[Origin, str], str] = {}
        self.nodes: dict[Any, int] = {}
        self.saved: dict[Any, list[object]] = {}
        self.saved_from: dict[Any, Place] = {}
        self.reached: set[object] = set()
        self.truncated = False
        self.unlisted = False
        self._into_graphs = into_graphs
        self._until = 1.0
        self._late = False
        self._seen: dict[int, tuple[Any, Place]] = {}
        self._waiting: deque[tuple[Any, Place]] = deque()
        self._last: list[tuple[Any, Place]] = []
        self._long: list[tuple[Any, Place]] = []
        self._opens_long = False
        self._steps = 0

    def run(
        self, roots: Iterable[tuple[Any, Place]], *, until: float = 1.0, long: bool = True
    ) -> None:
        """Walk from `roots` until a share of the time is spent.

        Models and optimizers come first, so that tensors get their true kind; then what the graphs
        found so far retain; then all others breadth first, those nearest a name first. Long
        containers come last, or wait for `open_long`, so that a data set does not use up the time.
        """
        self._set_deadline(until)
        for value, place in sorted(roots, key=lambda root: self._rank(root[0])):
            if self.out_of_time():
                break
            if place.parent is None:
                kind = str.__str__(name_of(type(value)))
                self.type_names.setdefault(row_of(place), kind)
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
            visit = self.inspector.visit_of(type(value))
            if visit is not None and not self.look_at_clock():
                with self.inspector.quiet():
                    self._visit(visit, value, place)
                self._drain()
        self._opens_long = False
        self._visit_graphs()

    def push(self, value: Any, place: Place, *, last: bool = False) -> None:
        """Queue an object, unless it cannot lead to memory; `last`: after all others."""
        if place.depth <= _DEPTH and self.inspector.visit_of(type(value)) is not None:
            (self._last if last else self._waiting).append((value, place))

    def enter(self, array: Any, place: Place, *, graph: bool = False) -> list[object]:
        """Note the memory of an array; a storage belongs to the first place it was found at.

        Returns what its storages are known by.
        """
        keys = []
        for storage in self.inspector.storages(array):
            here = place.step(storage.part, arrays.PART) if storage.part else place
            self.ledger.add(storage, here, graph=graph)
            keys.append(storage.key)
        return keys

    def out_of_time(self) -> bool:
        """Whether the time is spent; looked up now and then only, as is whether to make way."""
        self._steps += 1
        return self.look_at_clock() if self._steps % _CHECK_EVERY == 0 else self._late

    def place_of(self, value: object) -> Place | None:
        """Return where the walk came by an object, if it did."""
        return self._seen.get(id(value), (None, None))[1]

    def put_off(self, container: Any, length: int, place: Place) -> bool:
        """Queue a long container after all others; false if it is to be visited now."""
        if length <= LONG or self._opens_long:
            return False
        self._long.append((container, place))
        return True

    def worthwhile(self, members: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the members that may hold something; of long containers whole runs are left out."""
        pairs: Iterable[tuple[int, Any]] = enumerate(members)
        if len(members) > LONG:
            late, seen = self.look_at_clock, self._seen
            pairs = promising(self.inspector, members, late=late, seen=seen)
        visit_of = self.inspector.visit_of
        return ((index, member) for index, member in pairs if visit_of(type(member)) is not None)

    def _visit_graphs(self) -> None:
        if self._into_graphs:
            visit_graphs(self)

    def look_at_clock(self) -> bool:
        """Whether the time is spent; then the walk is truncated."""
        self.inspector.turn.pause()
        if not self._late and self.inspector.turn.beyond(self._until):
            self._late = self.truncated = True
        return self._late

    def _rank(self, value: object) -> int:
        visit = self.inspector.visit_of(type(value))
        return _FIRST.index(visit) if visit in _FIRST else len(_FIRST)

    def _set_deadline(self, until: float) -> None:
        self._until = until
        self._late = False

    def _drain(self) -> None:
        waiting, last, seen = self._waiting, self._last, self._seen
        with self.inspector.quiet():
            while (waiting or last) and not self.out_of_time():
                if not waiting:
                    waiting.extend(last)
                    last.clear()
                value, place = waiting.popleft()
                visit = self.inspector.visit_of(type(value))
                if visit is None:
                    continue
                entry = seen.get(id(value))
                if entry is not None:
                    self.ledger.met_again(entry[1], place)
                if entry is None or place.rank < entry[1].rank:
                    seen[id(value)] = value, place
                    self._visit(visit, value, place)
        waiting.clear()
        last.clear()

    def _visit(self, visit: Visit, value: Any, place: Place) -> None:
        try:
            visit(self, value, place)
        except RuntimeError:
            self.truncated = True  # another thread changed it while it was read
