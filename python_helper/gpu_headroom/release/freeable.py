"""One thing that can be freed: what a plan says of it, the act itself, and its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..protocol.generated.wire import ItemKind, Message
    from .memory import Storages
    from .situation import Situation


@dataclass(frozen=True, slots=True)
class Freeable:
    """An item of a plan, created again for each plan and each release, and identified by its id.

    `free` runs on the main thread between cells, returns a message if there is one, and may raise.
    `gives` is the memory that this item alone would free, on all devices; `None` if not measured.
    `name` is the user's variable that the item is about, `names` the variables it deletes.
    `confirm` is what the user has to agree to for an unsafe item. `blocked` is why it cannot be
    freed now. `undo` is the id of the item that restores it. `displayed` are the names under which
    IPython stores what the item removes from the output history. `code` are statements for the
    clean-up cell beyond the safe items and the names: code of a function of the notebook, without
    the helper, whose own names begin with `_`, correct in any session; empty if there is none.
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
        """Bytes that are freed on all devices if this item alone is freed."""
        return None if self.gives is None else self.gives.bytes


@dataclass(frozen=True, slots=True)
class Kind:
    """Properties of all items of a kind, which `items` finds.

    `safe` items are freed by default: they never include a variable that the user named. Any other
    needs a click on its sentence. `selected` items are ticked in a list by default. Items of a kind
    with `holds` are in no plan: they are freed only on request, by id, while `holds` is true of it.
    A `whole` kind needs no names: it is found and freed even while another thread is inside a
    framework, and its code works in any session; if it `looks` at objects, it finds less then.
    `of_autograd` changes objects that a training thread may be using. Kinds that add no headroom
    free memory for other programs. `done` is the message for a kind that frees nothing; a wing's
    kind is sorted `before` another.
    """

    items: Callable[[Situation], Iterator[Freeable]]
    safe: bool = False
    selected: bool = False
    holds: Callable[[Situation, str], bool] | None = None
    whole: bool = False
    looks: bool = True
    of_autograd: bool = False
    adds_headroom: bool = True
    done: str = ""
    before: str = ""
