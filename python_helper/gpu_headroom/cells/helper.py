"""Interface of the helper for its parts, each of which may declare further methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from ..concurrency.mainloop import MainLoop
    from ..concurrency.turns import Turn
    from ..kernel.channel import Channel
    from ..protocol.generated import wire
    from ..protocol.generated.requests import Options
    from ..protocol.leases import Leases
    from ..readings.cuda import Cuda
    from ..readings.sampler import Sampler
    from .runs import Ledger


class Helper(Protocol):
    """Common interface; implemented by `session/session.py`."""

    shell: Any
    helper_id: str
    channel: Channel | None
    cuda: Cuda
    leases: Leases
    ledger: Ledger
    mainloop: MainLoop
    sampler: Sampler

    @property
    def options(self) -> Options:
        """The options that all connected clients accept."""

    @property
    def when(self) -> Literal["queued", "waiting"]:
        """When work queued now will run: soon, or when the running cell ends."""

    def turn(self, cpu_s: float | None = None, *, asked: bool = True) -> Turn:
        """Return the limits of a walk on the calling thread."""

    def sample(self) -> wire.Sample | None:
        """Read now; return `None` where reading fails."""

    def cell(self) -> wire.Cell | None:
        """Return the running cell, else the last one; `None` before any."""

    def send(self, event: wire.Event) -> None:
        """Send an event to all clients."""

    def schedule(self, call: Callable[[], object], delay_s: float) -> None:
        """Call on the main thread between cells, after `delay_s` seconds; from any thread."""

    def failed(self, part: str, error: BaseException) -> None:
        """Report an internal error, once per cause."""
