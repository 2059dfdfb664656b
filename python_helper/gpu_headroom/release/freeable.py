"""One thing that can be freed: what a plan says of it, and the act itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated.wire import Item, ItemKind, Message
    from .memory import Storages


@dataclass(frozen=True, slots=True)
class Freeable:
    """An item of a plan, made anew for each plan and each release; found again by its id.

    `free` runs on the main thread between cells and returns what is worth saying of it, mostly
    nothing; it may raise. `gives` is what comes back if this alone is freed, on all devices;
    `None` is not measured. `name` is the user's variable that it is about, `names` are those that
    it deletes. Outside the safe set `confirm` says what a person has to agree to. `blocked` says
    why it cannot be freed now. `undo` is the id of the item that takes it back. `displayed` are
    the names under which IPython keeps what it drops of the output history. `code` does beyond
    the safe set what neither says, without the helper: statements of a function of the notebook
    whose own names begin with `_`, right in any session; empty where that cannot be.
    """

    id: str
    kind: ItemKind
    title: Message
    cost: Message
    gives: Storages | None
    free: Callable[[], Message | None]
    name: str | None = None
    names: tuple[str, ...] = ()
    displayed: tuple[str, ...] = ()
    confirm: Message | None = None
    blocked: Message | None = None
    undo: str | None = None
    code: str = ""

    @property
    def expected_bytes(self) -> int | None:
        """What comes back in all, if this alone is freed."""
        return None if self.gives is None else self.gives.bytes

    def as_wire(self) -> Item:
        """Return the item as it travels."""
        kind = KINDS[self.kind]
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "cost": self.cost,
            "expected_bytes": self.expected_bytes,
            "safe": kind.safe,
            "selected": kind.selected,
            "adds_headroom": kind.adds_headroom,
            "names": list(self.names),
            "confirm": self.confirm,
            "blocked": self.blocked,
        }
