"""Interface of a source of readings, and one device as one source sees it."""

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
    Gpu = tuple[int | None, int | None]

    class Source(Protocol):
        """One framework; may only read what is already imported and initialized."""

        def state(self) -> wire.State:
            """Return whether there is something to read, or why not; initializes nothing."""

        def read(self) -> tuple[View, ...]:
            """Read every device that this framework uses; called only while `live`."""


def shallow(reading: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, not copied.

    `asdict` copies deeply, which was a quarter of the cost of a sample.
    """
    return {name: getattr(reading, name) for name in reading.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class FrameworkReading:
    """Memory of one framework on one device, in bytes; `None` is not measured."""

    name: str
    in_use_bytes: int
    cached_bytes: int | None
    peak_in_use_bytes: int | None = None
    alloc_retries: int | None = None
    ooms: int | None = None
    preallocated: bool = False
    # These change constantly, so they are not compared: a change need not be sent.
    allocated_total_bytes: int | None = field(default=None, compare=False)
    returned_total_bytes: int | None = field(default=None, compare=False)
    inactive_split_bytes: int | None = field(default=None, compare=False)
    # The call that in use and cached came from; shown in reports only.
    source: str = field(default="memory_stats()", compare=False)

    @property
    def reserved_bytes(self) -> int | None:
        """Bytes that the framework has taken from the device."""
        return None if self.cached_bytes is None else self.in_use_bytes + self.cached_bytes

    def equals(self, other: FrameworkReading | None) -> bool:
        """Whether all figures are the same, the ones excluded from `==` as well."""
        return other is not None and _figures(self) == _figures(other)

    def as_wire(self) -> wire.Framework:
        """Return the wire object of this reading."""
        reading = shallow(self)
        del reading["allocated_total_bytes"], reading["returned_total_bytes"]
        del reading["inactive_split_bytes"], reading["source"]
        return cast("wire.Framework", {**reading, "title": TITLES[self.name]})


_figures = attrgetter(*FrameworkReading.__slots__)


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """Facts about a device, as sent to a front end; `None` is unknown.

    Of several sources, the first that has a fact provides it; a flag is set if any sets it.
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

    `index` is the source's own. `limit_bytes` is the most that the framework may take. `ask_gpu`
    returns free and total bytes of the GPU, where the driver's library does not. `gpu_source` and
    `limit_source` are the calls that total and free, and the limit, came from.
    """

    total_bytes: int | None = None
    free_bytes: int | None = None
    limit_bytes: int | None = None
    framework: FrameworkReading | None = None
    notes: tuple[wire.Message, ...] = ()
    ask_gpu: Callable[[], Gpu] | None = field(default=None, compare=False, repr=False)
    gpu_source: str = ""
    limit_source: str = ""


def driver_call(backend: Backend) -> str:
    """Return the name of the driver call behind PyTorch's `mem_get_info`."""
    return "hipMemGetInfo" if backend == "rocm" else "cudaMemGetInfo"


class Cache(NamedTuple):
    """A cache that a framework rebuilds when needed: its title, and how it is cleared.

    `statement` clears it in a cell, where `_torch` and `_jax` are the frameworks. `gives` has the
    bytes to be freed, as far as they are known.
    """

    title: wire.Message
    cost: wire.Message
    clear: Callable[[], object]
    statement: str
    gives: Mapping[object, int] | None = None
    blocked: wire.Message | None = None
