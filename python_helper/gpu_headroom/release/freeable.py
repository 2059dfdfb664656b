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
