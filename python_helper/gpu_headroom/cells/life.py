"""One life of the helper, as its parts are handed it; each says what it asks of it besides."""

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


class Life(Protocol):
    """What any part may ask; `session/session.py` is the one that has it all."""

    shell: Any
    life_id: str
    channel: Channel | None
    cuda: Cuda
    leases: Leases
    ledger: Ledger
    mainloop: MainLoop
    sampler: Sampler

    @property
    def options(self) -> Options:
        """What the settings of those who are there ask for."""

    @property
    def when(self) -> Literal["queued", "waiting"]:
        """When work queued now will run: soon, or when the running cell ends."""

    def turn(self, cpu_s: float | None = None, *, asked: bool = True) -> Turn:
        """Return what a walk on the calling thread may take."""

    def sample(self) -> wire.Sample | None:
        """Read now; `None` where reading fails."""

    def cell(self) -> wire.Cell | None:
        """Return the running cell, else the last one."""

    def send(self, event: wire.Event) -> None:
        """Send an event to whoever is there."""

    def schedule(self, call: Callable[[], object], delay_s: float) -> None:
        """Have the main thread call this between cells, after a while; from any thread."""

    def failed(self, part: str, error: BaseException) -> None:
        """Report a failure of the helper itself, once per cause."""
