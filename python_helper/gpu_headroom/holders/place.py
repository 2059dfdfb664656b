"""Where a walk stands: the root it started from, and each step it took since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from ..protocol.generated.wire import HolderKind

Origin = Literal["names", "modules", "outputs", "traceback", "garbage", "elsewhere"]
"""names: the user's namespace; modules: globals of others; outputs: displayed values; garbage: what
Python's collector frees; elsewhere: only the gc knows it. The most lasting first."""
UNNAMED = frozenset[Origin]({"garbage", "elsewhere"})

StepKind = Literal[
    "attribute",
    "index",
    "key",
    "member",
    "closure",
    "default",
    "local",
    "result",
    "frame",
    "graph",
    "gradient",
    "parameter",
    "buffer",
    "module",
    "state",
    "group",
    "self",
    "partial",
    "cache",
    "part",
    "iterator",
]
"""member: of a set. local: of a suspended function, by its
name. result: of a Future, by its class. frame: a variable of a frame that a kept
error remembers. state, group: of an optimizer. cache: what `lru_cache` keeps. part: of a tensor
that is made of several. iterator: what it goes through."""

_RANKS = {origin: rank for rank, origin in enumerate(get_args(Origin))}
_WRITTEN = {
    "index": "[{}]",
    "key": "[{}]",
    "member": "{{…}}",
    "closure": " closes over {}",
    "default": "'s defaults",
    "local": "'s locals",
    "result": "'s result",
    "frame": ": {}",
    "graph": "",
    "gradient": ".grad",
    "state": ".state",
    "group": ".param_groups",
    "self": ".__self__",
    "partial": "'s arguments",
    "cache": "'s cache",
    "part": ".{}()",
    "iterator": "'s members",
}


class Step(NamedTuple):
    """One step of the way; `name` is that of the attribute or variable, the index or the key."""

    kind: StepKind
    name: str = ""

    @property
    def text(self) -> str:
        """The step as the user would write it."""
        return _WRITTEN.get(self.kind, ".{}").format(self.name)


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
        return (self,) if self.parent is None else (*self.parent.way, self)

    @property
    def path(self) -> str:
        """The way from the root, as the user would write it."""
        return self.root + self.suffix

    @property
    def suffix(self) -> str:
        """The same without the root."""
        return "".join(place.via.text for place in self.way if place.via is not None)

    def step(
        self, via: StepKind, name: str = "", kind: HolderKind | None = None, *, deeper: int = 1
    ) -> Place:
        """Return the place one step further."""
        return Place(
            self.origin,
            self.root,
            kind or self.kind,
            self.depth + deeper,
            self,
            Step(via, name),
            self.row,
        )

    def seen_as(self, kind: HolderKind) -> Place:
        """Return the same place, where a tensor is taken for something else."""
        return self._replace(kind=kind)
