"""Groups of storages under one name: a growing list, a copy of a model, a large tensor."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from typing import TYPE_CHECKING

from .place import INDEX

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..protocol.generated.wire import HolderKind
    from .ledger import HeldStorage
    from .place import Origin, Place
    from .place import Step as Member
    from .survey import Survey

    Shape = tuple[int, ...]

_OF_TRAINING = ("gradients", "optimizer_state")
_SEVERAL = 3
_MOST = 500  # to describe one takes as long as to find it: 10 µs
_INDEX = re.compile(r"\[[^]]*\]")


@dataclass(frozen=True, slots=True)
class Group:
    """What one container, model, optimizer or tensor holds on a device, in bytes.

    `path` is the code to reach it, `root` the variable in that. `count` is the number of members
    that hold memory. `graph_bytes` are retained only by autograd graphs, which belong to `graphs`
    members. `shapes` counts tensors by shape, dtype and bytes, without gradients, optimizer state
    and graphs. `progress` is the share of a model's parameters that the graph of the failed pass
    has reached, 0 where that is unknown. `keyed`: members have keys. `plain`: members are tensors,
    models or tuples of these, without other objects around them. `others` are the keys of other
    names of the same object or memory. `suspended` is the first of its paths through a suspended
    function or a Future.
    """

    root: str
    path: str
    origin: Origin
    type_name: str | None
    count: int
    bytes: int
    graph_bytes: int
    graphs: int
    kinds: Mapping[HolderKind, int]
    shapes: Counter[tuple[Shape, str, int]]
    progress: float = 0.0
    keyed: bool = False
    plain: bool = True
    suspended: Member | None = None
    others: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """All names in running code that may mean it: `losses`, `losses in fit`, any `.losses`."""
        return self.others | {_key(self.root, self.path[len(self.root) :])}

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that have to let go of it, as code writes them."""
        return tuple(dict.fromkeys([self.name, *[_variable(other) for other in self.others]]))

    @property
    def name(self) -> str:
        """The path without the function that the name belongs to."""
        if self.root.endswith("()"):  # what is inside of a call has no name
            return self.root
        return _variable(self.root) + self.path[len(self.root) :]

    @property
    def function(self) -> str:
        """The function that the name belongs to; empty for a name of the notebook's."""
        return self.root.partition(" in ")[2]

    @property
    def last_name(self) -> str:
        """The variable or attribute that it is, without what it is indexed by."""
        return self.name.partition("[")[0].rpartition(".")[2]

    @property
    def kind(self) -> HolderKind:
        """The kind of most of its bytes."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    @property
    def commonest(self) -> tuple[Shape, str, int]:
        """The shape and dtype that most bytes have, and how many tensors are so."""
        if not self.shapes:
            return (), "", 0
        key = max(self.shapes, key=lambda shape: shape[2] * self.shapes[shape])
        return key[0], key[1], self.shapes[key]

    def share_of_dtype(self, dtype: str) -> float:
        """Return which share of the bytes of tensors has this dtype."""
        total = sum(shape_key[2] * count for shape_key, count in self.shapes.items())
        of_it = sum(
            shape_key[2] * count
            for shape_key, count in self.shapes.items()
            if shape_key[1] == dtype
        )
        return of_it / total if total else 0.0


class _Gathering:
    """A group while its storages are counted."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.members: set[Member | None] = set()
        self.graphs: set[Member | None] = set()
        self.kinds: Counter[HolderKind] = Counter()
        self.graph_bytes = 0
        self.parameters = self.reached = 0
        self.plain = True
        self.suspended: Member | None = None
        self.also: set[str] = set()
        self.shapes: Counter[tuple[Shape, str, int]] = Counter()

    @property
    def keyed(self) -> bool:
        return any(step is not None and step.kind == "key" for step in self.members)

    @property
    def progress(self) -> float:
        return self.reached / self.parameters if self.parameters else 0.0

    def add(self, held: HeldStorage, member: Member | None, reached: Collection[object]) -> None:
        storage = held.storage
        self.plain &= _is_plain(held.place, self.place)
        steps = (place.via for place in held.place.way if place.via is not None)
        self.suspended = self.suspended or next((e for e in steps if e.edge.role == "later"), None)
        if held.place is self.place:
            self.also |= {_key(place.root, place.suffix) for place in held.also}
        via = held.place.via
        if held.kind == "parameters" and via is not None and via.kind != "buffer":
            self.parameters += 1
            self.reached += storage.key in reached
        self.members.add(member)
        self.kinds[held.kind] += storage.bytes
        if held.graph:
            self.graph_bytes += storage.bytes
            self.graphs.add(member)
        elif held.kind not in _OF_TRAINING:
            self.shapes[storage.shape or (), storage.dtype or "", storage.bytes] += 1


def groups_of(found: Survey, device_index: int) -> tuple[Group, ...]:
    """Return what names, displayed values and tracebacks hold on a device, largest first.

    What no name reaches is grouped by its class, with an empty root and path. Of very many the
    smallest are left out.
    """
    held_here = list(found.ledger.on(device_index))
    levels = {id(storage.place): _levels(storage.place) for storage in held_here}
    members: dict[str, set[Member]] = {}
    for place, member in {level for containers in levels.values() for level in containers}:
        members.setdefault(place.path, set()).add(member)
    gathered: dict[tuple[Origin, str, str], _Gathering] = {}
    for held in held_here:
        place, inside = _container(held.place, levels[id(held.place)], members)
        key = held.origin, place.path, "" if place.root else place.row
        if key not in gathered:
            gathered[key] = _Gathering(place)
        gathered[key].add(held, inside, found.reached)
    largest = nlargest(_MOST, gathered.items(), key=lambda entry: entry[1].kinds.total())
    groups = [
        Group(
            root=gathering.place.root,
            path=path,
            origin=origin,
            type_name=None
            if origin == "traceback"
            else found.type_names.get((origin, gathering.place.row or gathering.place.root)),
            count=len(gathering.members),
            bytes=gathering.kinds.total(),
            graph_bytes=gathering.graph_bytes,
            graphs=len(gathering.graphs),
            kinds=gathering.kinds,
            shapes=gathering.shapes,
            progress=gathering.progress,
            keyed=gathering.keyed,
            plain=gathering.plain,
            suspended=gathering.suspended,
            others=frozenset(gathering.also | _others(gathering.place, found.ledger.meetings)),
        )
        for (origin, path, _), gathering in largest
    ]
    return tuple(groups)


def _others(place: Place, met: Mapping[int, Sequence[Place]]) -> set[str]:
    """Return the keys of the other names that a place, or one on the way to it, was met under."""
    keys, suffix = set[str](), ""
    for here in reversed(place.way):
        keys |= {_key(alias.root, alias.suffix + suffix) for alias in met.get(id(here), ())[1:]}
        suffix = here.via.text + suffix if here.via is not None else suffix
    return keys


def _key(root: str, suffix: str) -> str:
    """Return the variable, or `.name` of the last attribute, without what it is indexed by."""
    attribute = _INDEX.sub("", suffix).rpartition(".")[2]
    return f".{attribute}" if attribute else root


def _variable(root: str) -> str:
    return root.partition(" in ")[0]


def _is_plain(place: Place, container: Place) -> bool:
    """Whether a tensor is itself a member of a container, or a part of a model or tuple that is."""
    inside = place.depth - container.depth
    steps = [step.via.edge for step in place.way if step.via is not None][-inside + 1 :]
    return inside <= 1 or all(step is INDEX or step.role == "within" for step in steps)


def _levels(place: Place) -> tuple[tuple[Place, Member], ...]:
    """Return the containers that a tensor is inside of, outermost first, and as which member."""
    levels = []
    for before, here in pairwise(place.way):
        assert here.via is not None  # noqa: S101  only a root has none
        if here.via.edge.role == "within":
            break
        if here.via.edge.role:
            levels.append((before, here.via))
    return tuple(levels)


def _container(
    place: Place, levels: Sequence[tuple[Place, Member]], members: Mapping[str, set[Member]]
) -> tuple[Place, Member | None]:
    """Return the container that a tensor counts as a member of, or the tensor if there is none.

    The outermost container with several members comes first, then the innermost of any size.
    """
    for container, member in levels:
        if len(members[container.path]) >= _SEVERAL:
            return container, member
    if levels:
        return levels[-1]
    for before, here in pairwise(place.way):
        if here.via is not None and here.via.edge.role == "within":
            return before, None
    return place, None
