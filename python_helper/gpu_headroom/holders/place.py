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
    """How a holder keeps something: in words and in code, where {} is the name it is kept by.

    What it keeps is a `member` of a container, `within` one thing, or comes `later`.
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
        """What kind of step it is."""
        return self.edge.name

    @property
    def text(self) -> str:
        """The step as the user would write it."""
        return self.edge.code.format(self.name)


class Place(NamedTuple):
    """How the walk came here, and what it takes a tensor for.

    `root` is the variable it started from. `row` is what the root is shown under where that is
    something else: a failed cell, or the class of an object that no name reaches.
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
        """How lasting its root is: what two roots hold belongs to the one of the lower rank."""
        return _RANKS[self.origin]

    @property
    def way(self) -> tuple[Place, ...]:
        """All places from the root to here."""
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
