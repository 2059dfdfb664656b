"""Position of a walk: the root it started from, and each step since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ..text.messages import message

if TYPE_CHECKING:
    from ..protocol.generated.wire import HolderKind, Message

Origin = Literal["names", "modules", "outputs", "traceback", "garbage", "elsewhere"]
"""names: the user's namespace; modules: globals of others; outputs: displayed values; garbage: what
Python's collector frees; elsewhere: only the gc knows it. The most lasting first."""
UNNAMED = frozenset[Origin]({"garbage", "elsewhere"})

_RANKS = {origin: rank for rank, origin in enumerate(get_args(Origin))}


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """Kind of reference, as text and as code, where {} is the name of the referenced value.

    The value is a `member` of a container, is `within` one thing, or is used `later`.
    """

    name: str
    sentence: str
    code: str = ".{}"
    role: Literal["", "member", "within", "later"] = ""

    def describe(self, name: str) -> Message:
        """Return the step in words."""
        key = f"path.{self.name}"
        return message(key, {key: self.sentence}, name=name)


ATTRIBUTE = Edge("attribute", "attribute `{name}`")
INDEX = Edge("index", "item {name}", "[{}]", "member")
KEY = Edge("key", "key `{name}`", "[{}]", "member")


class Step(NamedTuple):
    """One step of the way; `name` is that of the attribute or variable, the index or the key."""

    name: str = ""
    edge: Edge = ATTRIBUTE

    @property
    def kind(self) -> str:
        """Kind of the step."""
        return self.edge.name

    @property
    def text(self) -> str:
        """The step as the user would write it."""
        return self.edge.code.format(self.name)


class Place(NamedTuple):
    """Path of a walk to an object, and the kind that it gives a tensor there.

    `root` is the variable it started from. `row` is the name that the root is shown under if that
    differs: a failed cell, or the class of an object that no name reaches.
    """

    origin: Origin
    root: str
    kind: HolderKind = "tensor"
    depth: int = 0
    parent: Place | None = None
    via: Step | None = None
    row: str = ""

    @property
    def rank(self) -> int:
        """Order of roots, most lasting first: a storage counts for the root of the lowest rank."""
        return _RANKS[self.origin]

    @property
    def way(self) -> tuple[Place, ...]:
        """All places from the root to this one."""
        way, place = [self], self.parent
        while place is not None:
            way.append(place)
            place = place.parent
        return tuple(way[::-1])

    @property
    def path(self) -> str:
        """The way from the root, as the user would write it."""
        return self.root if self.parent is None else self.root + self.suffix

    @property
    def suffix(self) -> str:
        """The same without the root."""
        return "".join(place.via.text for place in self.way if place.via is not None)

    def step(
        self,
        name: str = "",
        edge: Edge = ATTRIBUTE,
        kind: HolderKind | None = None,
        *,
        deeper: int = 1,
    ) -> Place:
        """Return the place one step further."""
        return Place(
            self.origin,
            self.root,
            kind or self.kind,
            self.depth + deeper,
            self,
            Step(name, edge),
            self.row,
        )

    def seen_as(self, kind: HolderKind) -> Place:
        """Return the same place, where a tensor is taken for something else."""
        return self._replace(kind=kind)
