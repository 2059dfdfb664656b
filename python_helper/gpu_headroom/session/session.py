"""One helper in one kernel: creates and connects all of its parts."""

from __future__ import annotations

import sys
import time
import uuid
from contextlib import ExitStack, suppress
from functools import partial
from importlib import import_module
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ..cells.runs import Ledger
from ..concurrency import threads
from ..concurrency.mainloop import MainLoop
from ..concurrency.threads import LockTimeoutError
from ..handlers.basics import Basics
from ..handlers.dispatcher import Dispatcher
from ..kernel import injection, running_cell
from ..kernel.channel import TARGET, KernelChannel
from ..protocol.checking import PROTOCOL_VERSION
from ..protocol.leases import Leases
from ..readings.cuda import Cuda
from ..readings.sampler import Pace, Sampler
from ..readings.sources import Sources
from ..reports.store import Reports
from ..simulate import simulate_as_asked
from ..text.format import format_error
from ..text.messages import message
from .cell_hooks import CellHooks
from .failures import Failures
from .wing import Wings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from ..cells.runs import CellRun
    from ..concurrency.mainloop import Job
    from ..concurrency.sliced_turn import SlicedTurn
    from ..concurrency.turns import Turn
    from ..frameworks.torch.observer import Capture, Observer
    from ..handlers.dispatcher import Handlers
    from ..holders.allocation_site import Recording
    from ..kernel.channel import Channel
    from ..protocol.generated import requests, wire
    from ..readings.snapshot import DeviceSnapshot
    from ..release.situation import Situation

_MOST_ERRORS = 50


class Session:
    """One helper, from `open` to `close`; no exception of its own reaches a user's cell.

    `channel` is the kernel's own unless given; `None` in a terminal, which has none.
    """

    def __init__(self, shell: Any, channel: Channel | None = None) -> None:
        self.shell = shell
        self.helper_id = uuid.uuid4().hex
        self.leases = Leases()
        self.ledger = Ledger()
        self.reports = Reports()
        self._observer: Observer | None = None
        self._finder = injection.finder()
        self.sources = Sources(self.failed)
        self.sampler = Sampler(
            self.sources,
            busy=lambda: self.ledger.running,
            rate_hz=self._wanted_hz,
            prepare=self._prepare,
            # Compile modules ahead, or the user would wait for that at the first report.
            at_rest=lambda: self._finder is not None and self._finder.compile_one(),
            measured=self._measured,
            failed=self.failed,
        )
        self.cuda = Cuda(self.sources, lambda: self.sampler.latest)
        self._kernel = getattr(shell, "kernel", None)
        self._comm_id = f"{TARGET}-{self.helper_id}"
        self.channel = channel
        if channel is None and hasattr(self._kernel, "iopub_socket"):
            self.channel = KernelChannel(self._kernel, self._comm_id)
        self.mainloop = MainLoop(
            None if self.channel is None else self.schedule,
            self._idle,
            self.failed,
            self._tell_progress,
            walk=self._walk,
        )
        self._kept: dict[str, Any] = {}
        self._dispatcher = Dispatcher(Basics(self).by_kind, self._rest, self.failed)
        self.failures = Failures(self, self._free_failed)
        self.cell_hooks = CellHooks(self, self.failures)
        self._pace = Pace()
        self.recording: Recording | None = None
        self._is_prepared = False
        self.wings = Wings(self)
        self._modules = injection.own_modules()
        self._was_up: bool | None = None
        self._cuda_started: wire.StartedBy | None = None
        self._undo = ExitStack()
        self._errors: set[str] = set()

    def open(self) -> None:
        """Start receiving, measuring and replying; on an error nothing is left behind."""
        self._simulate_as_asked()
        with ExitStack() as undo:
            undo.callback(self._end_recording)
            self.cell_hooks.open()
            undo.callback(self.cell_hooks.close)
            if self.channel is not None:
                self.channel.open(self._answer)
                undo.callback(self.channel.close)
            undo.callback(self._close_wings)
            undo.callback(self.sources.close)
            self.sampler.start()
            undo.callback(self.sampler.stop)
            undo.callback(self.mainloop.close)
            self._undo = undo.pop_all()
        self.send(self.hello())

    def close(self) -> None:
        """Send a last event and undo everything that `open` did."""
        self.send({"type": "bye", "helper_id": self.helper_id, "reason": "unloaded"})
        self._undo.close()

    def keep_modules(self, sources: dict[str, str] | None = None, version: str = "") -> None:
        """Restore modules of the helper that a cell has removed; add more `sources` of its version.

        Otherwise a later import would load a second copy, with different classes.
        """
        if sources and self._finder is not None:
            self._finder.add(sources, version)
        modules = self._modules
        if sys.modules.get(injection.OWN) is not modules.get(injection.OWN):
            sys.modules.update(modules)

    # --- Parts of the helper ------------------------------------------------

    @property
    def options(self) -> requests.Options:
        """The options that all connected clients accept."""
        return self.leases.options()

    @property
    def when(self) -> Literal["queued", "waiting"]:
        """When work queued now will run: soon, or when the running cell ends."""
        return "waiting" if self.ledger.running else "queued"

    def turn(self, cpu_s: float | None = None, *, asked: bool = True) -> Turn:
        """Return the limits of a walk on the calling thread."""
        from ..concurrency.turns import LONG_S, Turn

        return Turn(cpu_s or LONG_S, asked=asked, loops=self._loops())

    # --- Events -------------------------------------------------------------

    def send(self, event: wire.Event) -> None:
        """Send an event; an error of the channel does not reach the caller."""
        if self.channel is None or self.sampler.forked:
            return
        for wing in self.wings:
            wing.on_event(event)
        try:
            self.channel.send(event)
        except Exception as error:  # noqa: BLE001  the channel itself failed: only log it
            self._log("channel", error)

    def hello(self) -> wire.Hello:
        """Return the event that introduces this helper."""
        return {
            "type": "hello",
            "protocol_version": PROTOCOL_VERSION,
            "helper_version": injection.helper_version(),
            "helper_id": self.helper_id,
            "comm_id": self._comm_id,
            "installed": self._finder is None,
            "control": self.channel is not None and self.channel.control,
        }

    def sample(self) -> wire.Sample | None:
        """Read now; return `None` where reading fails."""
        self.cell_hooks.look_for_lost_end()
        snapshot = self.sampler.measure()
        if snapshot is None:
            return None
        with suppress(LockTimeoutError):
            self.notice(snapshot)
        return self.as_wire(snapshot)

    def cell(self) -> wire.Cell | None:
        """Return the running cell, else the last one; `None` before any."""
        run = self.ledger.current(self.sampler.latest)
        return run.as_wire(self.helper_id) if run else None

    def stream(self, snapshot: DeviceSnapshot | None, ended: CellRun | None = None) -> None:
        """Send a cell's start or end to all clients, and the reading to visible ones.

        Where another cell still runs beside the one that has `ended`, that one is sent as the
        current.
        """
        cell = self.cell()
        is_heard = self.leases.any() or self._wings_hz() is not None
        if cell is None or not is_heard:
            return
        if ended is not None and self.ledger.running:
            self.send(self.ledger.known(ended).as_wire(self.helper_id))
        self.send(cell)
        if snapshot is not None and self._wanted_hz() is not None:
            self._pace.sent(snapshot, time.monotonic())
            self.send(self.as_wire(snapshot))

    def notice(self, snapshot: DeviceSnapshot) -> DeviceSnapshot:
        """Pass a reading to ledger, wings and observer; return it. May raise `LockTimeoutError`."""
        elsewhere = [size for wing in self.wings if (size := wing.in_use_elsewhere()) is not None]
        self.ledger.observe(snapshot, sum(elsewhere) if elsewhere else None)
        for wing in self.wings:
            wing.on_reading(snapshot)
        # Attaching would initialize CUDA; until it is initialized, PyTorch calls back at that time.
        if self.cuda.torch() is not None:
            self._record()
            self._observing().attach()
        self._note_start(snapshot)
        return snapshot

    def computes_elsewhere(self) -> bool:
        """Whether a cell runs on a thread other than the caller's."""
        return any(thread != get_ident() for thread in self.ledger.threads)

    def ended(self, run: CellRun) -> None:
        """Pass a cell that has ended to the wings, before its event is sent."""
        first = None if self._observer is None else self._observer.take_first()
        for wing in self.wings:
            try:
                wing.on_cell_end(run, first)
            except LockTimeoutError:
                pass
            except Exception as error:  # noqa: BLE001  the cell has ended in any case
                self.failed("cells", error)

    def look_further(self) -> None:
        """Complete the last report if it is unfinished, as a user asks what uses memory."""
        self.failures.look_further()

    def take_capture(self, *, of_this_thread: bool) -> Capture | None:
        """Remove and return the allocator's last failure, or the last of this thread."""
        if self._observer is None:
            return None
        return self._observer.take(get_ident() if of_this_thread else None)

    def as_wire(self, snapshot: DeviceSnapshot) -> wire.Sample:
        """Return the wire object of a reading."""
        sample: wire.Sample = {
            "type": "sample",
            "helper_id": self.helper_id,
            "seq": snapshot.seq,
            "time_s": snapshot.time_s,
            "state": snapshot.state,
            "busy": self.ledger.running,
            "devices": [device.as_wire() for device in snapshot.devices],
            "host": None if snapshot.host is None else snapshot.host.as_wire(),
            "trends": [],
            "queued": self.mainloop.waiting("release") if self.ledger.running else [],
            "cuda_started": self._cuda_started,
            "workers": None,
        }
        for wing in self.wings:
            wing.complete_sample(sample, snapshot)
        return sample

    def failed(self, part: str, error: BaseException, request_ids: Sequence[str] = ()) -> None:
        """Report an internal error, once per cause, and to each request that it ends."""
        cause = format_error(error)
        is_news = cause not in self._errors and len(self._errors) < _MOST_ERRORS
        if is_news:
            self._errors.add(cause)
            self._log(part, error)
        ended: Sequence[str | None] = request_ids or ([None] if is_news else [])
        for request_id in ended:
            self.send(
                {
                    "type": "error",
                    "helper_id": self.helper_id,
                    "time_s": time.time(),
                    "request_id": request_id,
                    "where": part,
                    "message": message("error.part", part=part, error=cause),
                }
            )

    # --- Requests, readings and the main thread ------------------------------

    def answer(self, request: object, page: str = "") -> wire.Reply:
        """Return the reply to a request of a front end, received on any channel."""
        self.keep_modules()
        return self._dispatcher.answer(request, page)

    def _answer(self, request: object, page: str = "") -> wire.Reply:
        try:
            return self.answer(request, page)
        finally:
            if self.channel is not None and not self.channel.control:
                self.cell_hooks.keep_prints_in_their_cell()

    def _wanted_hz(self) -> float | None:
        return self.leases.wanted_hz() or self._wings_hz()

    def _close_wings(self) -> None:
        for wing in self.wings:
            wing.close()

    def _wings_hz(self) -> float | None:
        return max([hz for wing in self.wings if (hz := wing.wanted_hz())], default=None)

    def _rest(self) -> Handlers:
        """Import the handlers that are not needed at the start."""
        from ..handlers.holders import HolderRequests
        from ..handlers.release import ReleaseRequests

        handlers = {**HolderRequests(self).by_kind, **ReleaseRequests(self).by_kind}
        self.wings.load()
        for wing in self.wings:
            handlers.update(wing.handlers())
        return {**handlers, "explain": self.failures.explain_started}

    def _free_failed(self, report_id: str) -> None:
        from ..handlers.release import free

        free(self, ("traceback",), (), report_id)

    def _measured(self, snapshot: DeviceSnapshot) -> None:
        with suppress(LockTimeoutError):
            self.notice(snapshot)
        rate_hz = self._wanted_hz()
        if rate_hz is not None and self._pace.due(snapshot, rate_hz, time.monotonic()):
            self.send(self.as_wire(snapshot))

    def _observing(self) -> Observer:
        from ..frameworks.torch.observer import Observer

        self._observer = self._observer or Observer()
        return self._observer

    def _note_start(self, snapshot: DeviceSnapshot) -> None:
        """Record the cell in which CUDA was initialized: no launcher can fork after it."""
        is_up, was_up = snapshot.state == "live", self._was_up
        self._was_up = is_up
        if is_up and was_up is False and (run := self.ledger.opened or self.ledger.current()):
            self._cuda_started = {"cell_id": run.cell_id, "execution_count": run.execution_count}

    def await_cuda(self, started: Callable[[], object]) -> None:
        """Call `started` when CUDA is initialized in this process, a fork of the kernel."""
        # CUDA does not survive a fork, so PyTorch calls back if it is initialized in this process.
        if self._observer is not None:
            self._observer.await_start(lambda: False, started)

    def _record(self) -> None:
        setting = self.options["record_allocations"]
        if self.recording is None and setting:
            from ..holders.allocation_site import Recording

            self.recording = Recording()
        if self.recording is not None:
            self.recording.follow(setting)

    def situation(self, turn: Turn) -> Situation:
        """Return the current state from which freeable items are found, within a turn's time."""
        from ..release.situation import Situation

        cells = self.ledger.cells()
        return Situation(self.shell, turn, cells, self._kept, self.cuda.stopped, self.failed)

    def _idle(self) -> bool:
        """Whether no cell runs, a subshell's included; call on the main thread."""
        self.cell_hooks.end_lost()
        return not self.ledger.running and not running_cell.computes(self.shell)

    def schedule(self, call: Callable[[], object], delay_s: float) -> None:
        """Call on the main thread between cells, after `delay_s` seconds; from any thread."""
        loop = getattr(self._kernel, "io_loop", None)
        if loop is not None:
            loop.add_callback(partial(loop.call_later, delay_s, call) if delay_s else call)

    def _tell_progress(self, job: Job, elapsed_s: float) -> None:
        for request_id in job.request_ids:
            self.send(
                {
                    "type": "progress",
                    "helper_id": self.helper_id,
                    "request_id": request_id,
                    "elapsed_s": elapsed_s,
                }
            )

    def _walk(self, work: Callable[[Turn], None], cpu_s: float, **how: bool) -> SlicedTurn:
        from ..concurrency.sliced_turn import SlicedTurn

        return SlicedTurn(work, cpu_s, loops=self._loops(), **how)

    def _loops(self) -> list[Any]:
        """Return the event loop in which the user's tasks await."""
        return [getattr(getattr(self._kernel, "io_loop", None), "asyncio_loop", None)]

    def _prepare(self) -> None:
        """Import the modules needed later, and open the driver; on the sampler's thread.

        The control thread must not wait for an import that a cell is in the middle of, nor a cell's
        hook for one of the helper's. Values that were not in the first reading are sent afterwards.
        """
        is_first = not self._is_prepared
        if is_first:
            import_module("..concurrency.sliced_turn", __package__)
            self._dispatcher.prepare()
            self._is_prepared = True
            self._modules = {**injection.own_modules(), **self._modules}
        for wing in self.wings:
            wing.prepare()
        self._observing().await_start(lambda: self.sampler.forked)
        self.sources.prepare()
        if is_first and self._wanted_hz() is not None:
            snapshot = self.sampler.measure()
            if snapshot is not None:
                self._measured(snapshot)

    def _end_recording(self) -> None:
        if self._observer is not None:
            self._observer.detach()
        if self.recording is not None:
            self.recording.end()

    def _simulate_as_asked(self) -> None:
        try:
            simulate_as_asked()
        except Exception as error:  # noqa: BLE001  a wrong setting must not prevent the start
            self.failed("simulate", error)

    def _log(self, part: str, error: BaseException) -> None:
        # Not in a terminal, which would show the log to the user. Not on this thread: a debugger
        # may have suspended another that holds the lock of the log.
        if self._kernel is not None:
            log = partial(
                self._kernel.log.warning, "GPU Headroom: %s failed.", part, exc_info=error
            )
            with suppress(RuntimeError):
                threads.start(log, name=f"{threads.NAME}-log")
