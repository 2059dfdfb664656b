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
        """What comes back in all, if this alone is freed."""
        return None if self.gives is None else self.gives.bytes


@dataclass(frozen=True, slots=True)
class Kind:
    """What holds for all items of a kind, which `items` finds.

    `safe` ones are freed unless something else is asked for: no variable that the user named goes;
    any other needs a click on its sentence. `selected` ones are ticked in a list beforehand. What
    `holds` tells of, by its id, is in no plan: it is freed on a wish of its own, while that is
    true. A `whole` one needs no name: it is found and freed also while another thread is inside a
    framework, and code does it in any session; where it `looks` at objects it says less then.
    `of_autograd` changes what a thread that trains may be reading or writing. What does not add
    headroom is for other programs. `done` says what frees nothing; a wing's is `before` another.
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
