"""A wing: a part of the helper that can be taken away with its folder and its line in the list."""

from __future__ import annotations

from importlib import import_module
from importlib.util import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Protocol

    from ..cells.runs import CellRun
    from ..frameworks.torch.observer import Capture
    from ..handlers.dispatcher import Handlers
    from ..handlers.queued import Served
    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceSnapshot

    class Host(Served, Protocol):
        """What a wing may use of the helper, besides what answers requests."""

        @property
        def cell_parent(self) -> Mapping[str, Any]:
            """The request of the last cell; of the running one, where one runs."""

        def answer(self, request: object, page: str = "") -> wire.Reply:
            """Answer a request of a page, whichever way it came."""

        def keep_prints_in_their_cell(self) -> None:
            """Give what threads print the last cell as parent, which a comm message has taken."""


class Wing:
    """What a wing adds, and what it is called for; a hook does nothing unless it is overridden.

    Its module is imported as the helper starts, so it imports what is large in `prepare` or later.
    """

    at_once: frozenset[str] = frozenset()
    """Those of its requests that only look at what is known."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def open(self) -> None:
        """Begin to listen; on the main thread, as the helper starts."""

    def close(self) -> None:
        """Take back what `open` and `prepare` did."""

    def prepare(self) -> None:
        """Import what is needed later; on the sampler's thread, more than once."""

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

    def on_event(self, event: wire.Event) -> None:
        """Take an event that is being sent, on any thread."""

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:
        """Set the fields of a reading that are this wing's."""

    def report_html(self, html: str, report_id: str) -> str:  # noqa: ARG002
        """Return the HTML of a report as it is displayed."""
        return html


class Wings:
    """The wings that are there, of those whose modules are listed; each has a class `WING`.

    One that comes later, with a pack, adds requests only.
    """

    def __init__(self, modules: tuple[str, ...], host: Host) -> None:
        self._modules, self._host = modules, host
        self._wings: dict[str, Wing] = {}
        self.load()

    def __iter__(self) -> Iterator[Wing]:
        return iter(list(self._wings.values()))

    def load(self) -> None:
        """Import those that have been missing and are there by now."""
        for module in self._modules:
            if module not in self._wings and (found := bring(module)) is not None:
                self._wings[module] = found.WING(self._host)

    def named(self, name: str) -> Any:
        """Return a wing by the name of its folder; `None` where it is missing."""
        return next((self._wings[each] for each in self._wings if f".{name}." in f".{each}"), None)


def bring(name: str) -> Any:
    """Return a module of ours that may be missing, as its wing or its pack is."""
    try:
        return import_module(name, __package__)
    except ModuleNotFoundError as error:
        if f"{resolve_name(name, __package__)}.".startswith(f"{error.name}."):
            return None
        raise
