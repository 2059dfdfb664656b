"""A wing: a part of the helper that can be taken away with its folder and its line in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..card.elsewhere import WorkerFailure
from ..concurrency.threads import Lock
from ..own import bring
from ..wings import WINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from ..cells.runs import CellRun
    from ..errors.recognise import Recognition
    from ..frameworks.torch.observer import Capture
    from ..handlers.dispatcher import Handlers
    from ..handlers.queued import Served
    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceSnapshot
    from .cell_hooks import CellHooks
    from .failures import Failures

    class Host(Served, Protocol):
        """What a wing may use of the helper, besides what answers requests."""

        cell_hooks: CellHooks
        failures: Failures
        wings: Wings

        def answer(self, request: object, page: str = "") -> wire.Reply:
            """Answer a request of a page, whichever way it came."""

        def await_cuda(self, started: Callable[[], object]) -> None:
            """Have this called once CUDA starts in this process, which is a fork of the kernel."""


class Wing:
    """What a wing adds, and what it is called for; a hook does nothing unless it is overridden.

    It is imported beside the first reading, on another thread than the one that starts the helper.
    """

    def __init__(self, host: Host) -> None:
        self.host = host

    def prepare(self) -> None:
        """Begin to listen; on the thread of the sampler, often: a cell may have imported more."""

    def close(self) -> None:
        """Take back what `prepare` did."""

    def handlers(self) -> Handlers:
        """Return what answers its requests, by type."""
        return {}

    def wanted_hz(self) -> float | None:
        """Return how often it needs readings while a cell runs; `None`: not at all."""
        return None

    def on_reading(self, snapshot: DeviceSnapshot) -> None:
        """Enter a reading, from any thread; may raise `NotNow`."""

    def on_cell_end(self, run: CellRun, first: Capture | None) -> None:
        """Look at a cell that has ended, before its event; may raise `NotNow`.

        `first` is what the first failure of an allocator saw meanwhile.
        """

    def in_use_elsewhere(self) -> int | None:
        """Return the bytes that other processes of this notebook have in use, where measured."""
        return None

    def worker_failure(self, recognition: Recognition) -> WorkerFailure | None:  # noqa: ARG002
        """Return what is known of a failure in another process; `None` where that is nothing."""
        return None

    def status(self) -> str:
        """Return what is said besides where the GPUs' numbers are asked for, as text."""
        return ""

    def on_event(self, event: wire.Event) -> None:
        """Take an event that is being sent, on any thread."""

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:
        """Set the fields of a reading that are this wing's."""

    def report_html(self, html: str, report_id: str) -> str:  # noqa: ARG002
        """Return the HTML of a report as it is displayed."""
        return html


class Wings:
    """The wings that are there, of those that are listed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._wings: dict[str, Wing] = {}
        self._loading = Lock(limit_s=10.0)

    def __iter__(self) -> Iterator[Wing]:
        return iter(list(self._wings.values()))

    def load(self) -> None:
        """Import those that are there by now: some come later, with a pack."""
        with self._loading:
            for module, *_ in WINGS:
                try:
                    if module not in self._wings and (found := bring(module)) is not None:
                        self._wings[module] = found.WING(self._host)
                except Exception as error:  # noqa: BLE001  such as of another version: the core goes on
                    self._host.failed("wings", error)

    def report_html(self, html: str, report_id: str) -> str:
        """Return the HTML of a report as it is displayed."""
        for wing in self:
            html = wing.report_html(html, report_id)
        return html

    def worker_failure(self, recognition: Recognition) -> WorkerFailure:
        """Return what is known of a failure in another process besides its error."""
        found = (wing.worker_failure(recognition) for wing in self)
        return next(filter(None, found), WorkerFailure())

    def named(self, folder: str) -> Any:
        """Return the wing of a folder; `None` where it is missing."""
        self.load()
        return next((wing for name, wing in self._wings.items() if folder in name.split(".")), None)
