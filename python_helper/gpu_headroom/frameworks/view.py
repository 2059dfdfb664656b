"""What a source is, and one device as one source sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from .registry import TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from ..protocol.generated import wire

    Backend = Literal["cuda", "rocm", "xpu", "mps"]
    Card = tuple[int | None, int | None]

    class Source(Protocol):
        """One framework: may only look at what is already imported and initialised."""

        def state(self) -> wire.State:
            """Say whether there is something to read, and why not; starts nothing."""

        def read(self) -> tuple[View, ...]:
            """Read every device that this framework uses; only asked while `live`."""


def shallow(reading: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, as they are.

    `asdict` copies deeply: it was a quarter of what a sample cost.
    """
    return {name: getattr(reading, name) for name in reading.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class FrameworkReading:
    """What one framework holds on one device, in bytes; `None` is not measured."""

    name: str
    in_use_bytes: int
    cached_bytes: int | None
    peak_in_use_bytes: int | None = None
    alloc_retries: int | None = None
    ooms: int | None = None
    preallocated: bool = False
    # They change all the time, which is no news to a page.
    allocated_total_bytes: int | None = field(default=None, compare=False)
    returned_total_bytes: int | None = field(default=None, compare=False)
    inactive_split_bytes: int | None = field(default=None, compare=False)
    # The call that told what is in use and cached: for cards only.
    source: str = field(default="memory_stats()", compare=False)

    @property
    def reserved_bytes(self) -> int | None:
        """What the framework has taken from the device."""
        return None if self.cached_bytes is None else self.in_use_bytes + self.cached_bytes

    def equals(self, other: FrameworkReading | None) -> bool:
        """Whether all figures are the same, those that are no news to a page as well."""
        return other is not None and _figures(self) == _figures(other)

    def as_wire(self) -> wire.Framework:
        """Return this reading as it travels."""
        reading = shallow(self)
        del reading["allocated_total_bytes"], reading["returned_total_bytes"]
        del reading["inactive_split_bytes"], reading["source"]
        return cast("wire.Framework", {**reading, "title": TITLES[self.name]})


_figures = attrgetter(*FrameworkReading.__slots__)


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What a page is told of a device as its sources know it; `None` is not known.

    Of several sources the first that knows a fact tells it; a flag is set where one sets it.
    """

    index: int
    backend: Backend = "cuda"
    name: str | None = None
    uuid: str | None = None
    simulated: bool = False
    shared_with_host: bool = False
    others_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class View(DeviceFacts):
    """One device as one source sees it, in bytes.

    `index` is counted by the source. `limit_bytes` is the most that the framework may take, and
    `ask_card` what it can find out about free and total where the driver's library says nothing.
    `card_source` is the call that told total and free, `limit_source` the one that told the limit.
    """

    total_bytes: int | None = None
    free_bytes: int | None = None
    limit_bytes: int | None = None
    framework: FrameworkReading | None = None
    notes: tuple[wire.Message, ...] = ()
    ask_card: Callable[[], Card] | None = field(default=None, compare=False, repr=False)
    card_source: str = ""
    limit_source: str = ""


def driver_call(backend: Backend) -> str:
    """Return the driver's call behind PyTorch's `mem_get_info`."""
    return "hipMemGetInfo" if backend == "rocm" else "cudaMemGetInfo"


class Cache(NamedTuple):
    """What a framework makes again when it needs it: what it is called, and how it is cleared.

    `statement` clears it in a cell, where `_torch` and `_jax` are frameworks. Of `gives` it is
    known how many bytes come back.
    """

    title: wire.Message
    cost: wire.Message
    clear: Callable[[], object]
    statement: str
    gives: Mapping[object, int] | None = None
    blocked: wire.Message | None = None
