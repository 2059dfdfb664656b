"""Wing: an optional part of the helper, removable with its folder and its entry in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..concurrency.threads import Lock
from ..own import bring
from ..reports.elsewhere import WorkerFailure
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
        """Interface of the helper for wings, in addition to that for request handlers."""

        cell_hooks: CellHooks
        failures: Failures
        wings: Wings

        def answer(self, request: object, page: str = "") -> wire.Reply:
            """Return the reply to a request of a front end, received on any channel."""

        def await_cuda(self, started: Callable[[], object]) -> None:
            """Call `started` when CUDA is initialized in this process, a fork of the kernel."""


class Wing:
    """Base class of wings; every hook does nothing unless overridden.

    Imported about when the first reading is made, not on the thread that starts the helper.
    """

    def __init__(self, host: Host) -> None:
        self.host = host

    def prepare(self) -> None:
        """Start; called often, on the sampler's thread, as a cell may have imported more."""

    def close(self) -> None:
        """Undo `prepare`."""

    def handlers(self) -> Handlers:
        """Return the wing's request handlers, by type."""
        return {}

    def wanted_hz(self) -> float | None:
        """Return the rate of readings needed while a cell runs; `None` for none."""
        return None

    def on_reading(self, snapshot: DeviceSnapshot) -> None:
        """Process a reading, on any thread; may raise `LockTimeoutError`."""

    def on_cell_end(self, run: CellRun, first: Capture | None) -> None:
        """Process a cell that has ended, before its event is sent; may raise `LockTimeoutError`.

        `first` is the first allocator failure during the cell.
        """

    def in_use_elsewhere(self) -> int | None:
        """Return the bytes in use by the notebook's other processes; `None` if not measured."""
        return None

    def worker_failure(self, recognition: Recognition) -> WorkerFailure | None:  # noqa: ARG002
        """Return data about a failure in another process; `None` where there is none."""
        return None

    def status(self) -> str:
        """Return text to be printed after the GPUs' figures."""
        return ""

    def on_event(self, event: wire.Event) -> None:
        """Process an event that is being sent, on any thread."""

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:
        """Set this wing's fields of a sample."""

    def report_html(self, html: str, report_id: str) -> str:  # noqa: ARG002
        """Return the HTML of a report for display."""
        return html


class Wings:
    """The wings of the list that are installed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._wings: dict[str, Wing] = {}
        self._loading = Lock(limit_s=10.0)

    def __iter__(self) -> Iterator[Wing]:
        return iter(list(self._wings.values()))

    def load(self) -> None:
        """Import the wings that are installed by now; some come later, with a pack."""
        with self._loading:
            for module, *_ in WINGS:
                try:
                    if module not in self._wings and (wing_module := bring(module)) is not None:
                        self._wings[module] = wing_module.WING(self._host)
                except Exception as error:  # noqa: BLE001  a wing of another version, for example: the core continues
                    self._host.failed("wings", error)

    def report_html(self, html: str, report_id: str) -> str:
        """Return the HTML of a report for display."""
        for wing in self:
            html = wing.report_html(html, report_id)
        return html

    def worker_failure(self, recognition: Recognition) -> WorkerFailure:
        """Return data about a failure in another process, empty where there is none."""
        failures = (wing.worker_failure(recognition) for wing in self)
        return next(filter(None, failures), WorkerFailure())

    def named(self, folder: str) -> Any:
        """Return the wing of a folder; `None` where it is missing."""
        self.load()
        return next((wing for name, wing in self._wings.items() if folder in name.split(".")), None)
