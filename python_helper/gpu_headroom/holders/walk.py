"""The walk from objects to storages: breadth first, iterative, within a budget of CPU time."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from . import containers, modules, objects, optimizers, tensors
from .ledger import Held, Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..wire import HolderKind
    from .ledger import Origin
    from .storage import Torch

    Visit = Callable[["Walk", Any, "Place"], None]

_DEPTH = 8
_CHECK_EVERY = 256
DEFAULT_BUDGET_S = 0.25


class Place(NamedTuple):
    """Where the walk stands: how it came there, and what it takes a tensor for."""

    origin: Origin
    root: str
    kind: HolderKind = "tensor"
    depth: int = 0
    parent: Place | None = None
    suffix: str = ""

    @property
    def path(self) -> str:
        """The way from the root, as the user would write it."""
        return self.root if self.parent is None else self.parent.path + self.suffix

    def step(self, suffix: str, kind: HolderKind | None = None) -> Place:
        """Return the place one step further."""
        return Place(self.origin, self.root, kind or self.kind, self.depth + 1, self, suffix)

    def inside(self, suffix: str) -> Place:
        """Return the place of a part, which may itself be nested as deeply as this."""
        return Place(self.origin, self.root, self.kind, self.depth, self, suffix)


class Walk:
    """One walk over any number of roots. `truncated` tells that a budget ended some of it."""

    def __init__(self, torch: Torch, *, budget_s: float = DEFAULT_BUDGET_S) -> None:
        self.torch = torch
        self.ledger = Ledger()
        self.graphs: list[tuple[Any, Place]] = []
        self.models: list[modules.Model] = []
        # What classes look like is kept for one walk only: it would keep a user's classes alive.
        self.layouts: dict[type, objects.Layout] = {}
        self.saved_names: dict[type, tuple[str, ...]] = {}
        self.truncated = False
        self._budget_s = budget_s
        self._start_s = time.thread_time()
        self._deadline_s = self._start_s + budget_s
        self._late = False
        self._visits: dict[type, Visit | None] = {}
        self._seen: dict[int, object] = {}
        self._waiting: deque[tuple[Any, Place]] = deque()
        self._steps = 0

    def run(self, roots: Iterable[tuple[Any, Place]], *, until: float = 1.0) -> None:
        """Walk from `roots` until a share of the budget is spent.

        Models and optimizers come first, so that tensors get their true kind, and long
        containers last, so that a data set does not use up the time of all others.
        """
        self._deadline_s = self._start_s + until * self._budget_s
        self._late = False
        for root in sorted(roots, key=lambda root: self._rank(root[0])):
            self._waiting.append(root)
            self._drain()

    def push(self, value: Any, place: Place) -> None:
        """Have an object visited later, unless it can hold nothing."""
        if place.depth <= _DEPTH and self.visit_of(type(value)) is not None:
            self._waiting.append((value, place))

    def found(self, tensor: Any, place: Place) -> None:
        """Enter a tensor's storage, if it has one on a GPU that nobody has entered yet."""
        storage = self.torch.storage(tensor)
        if storage is not None:
            self.ledger.add(Held(storage, place.kind, place.origin, place.root, place.path))

    def out_of_time(self) -> bool:
        """Whether the budget is spent; looked up now and then only."""
        self._steps += 1
        if self._steps % _CHECK_EVERY == 0 and time.thread_time() > self._deadline_s:
            self._late = self.truncated = True
        return self._late

    def visit_of(self, kind: type) -> Visit | None:
        """Return how objects of a class are looked into; decided once per class."""
        try:
            return self._visits[kind]
        except KeyError:
            visit = self._visits[kind] = self._decide(kind)
            return visit

    def _decide(self, kind: type) -> Visit | None:
        mro = kind.__mro__
        if self.torch.tensor in mro:
            return tensors.visit
        if self.torch.nn_module in mro:
            return modules.visit
        if self.torch.optimizer in mro:
            return optimizers.visit
        return containers.visit_of(kind) or objects.visit_of(kind)

    def _rank(self, value: object) -> tuple[int, int]:
        order: tuple[object, ...] = (modules.visit, optimizers.visit, tensors.visit)
        visit = self.visit_of(type(value))
        if visit in order:
            return order.index(visit), 0
        return len(order), containers.length(value)

    def _drain(self) -> None:
        waiting, seen = self._waiting, self._seen
        with self.torch.quiet():
            while waiting and not self.out_of_time():
                value, place = waiting.popleft()
                visit = self.visit_of(type(value))
                if visit is not None and id(value) not in seen:
                    seen[id(value)] = value
                    visit(self, value, place)
        waiting.clear()
