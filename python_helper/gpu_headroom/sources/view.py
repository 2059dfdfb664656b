"""What a source is, and one device as one source sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import wire
    from ..snapshot import Backend, FrameworkReading

    Card = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class View:
    """One device as one source sees it, in bytes; `None` is what it does not know.

    `index` is counted by the source. `limit_bytes` is the most that the framework may take, and
    `ask_card` what it can find out about free and total where the driver's library says nothing.
    """

    index: int
    backend: Backend = "cuda"
    name: str | None = None
    uuid: str | None = None
    simulated: bool = False
    shared_with_host: bool = False
    total_bytes: int | None = None
    free_bytes: int | None = None
    limit_bytes: int | None = None
    others_bytes: int | None = None
    framework: FrameworkReading | None = None
    notes: tuple[wire.Message, ...] = ()
    ask_card: Callable[[], Card] | None = field(default=None, compare=False, repr=False)


class Source(Protocol):
    """One framework: may only look at what is already imported and initialised."""

    def state(self) -> wire.State:
        """Say whether there is something to read, and why not; starts nothing."""

    def read(self) -> tuple[View, ...]:
        """Read every device that this framework uses; only asked while `live`."""
