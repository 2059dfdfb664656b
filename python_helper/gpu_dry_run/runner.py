"""Runs the cells of a job on the simulated GPU, and looks what they need of it."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from importlib import import_module
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.reading import each_parsed_once
from gpu_headroom.concurrency import threads
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.frameworks.torch.observer import Observer
from gpu_headroom.oom.evidence import measure
from gpu_headroom.oom.failure import Failure
from gpu_headroom.own import OWN, SIMULATOR
from gpu_headroom.readings.snapshot import DeviceSnapshot
from gpu_headroom.readings.sources import Sources
from gpu_headroom.reports.model import report_of

from . import sandbox
from .edited import edits_of
from .fake_data import fake_data
from .job import NOTHING
from .loops import Clock, StepCounter, Timeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_headroom.errors.recognise import Recognition

    from .job import Ended, RunOrder, RunPeak

_UNLIMITED = 2**50
_NEWEST = 8, 9  # the simulated cuBLAS is that of GPUs before Hopper
_WALK_S = 30.0
_TELL_EVERY_S = 1.0
_CELL = "<ipython-input-"
_SHORTENED = 500
_COMMANDS = ("pip", "conda", "mamba", "uv", "sx", "system")
_AS_ON_A_GPU = (RuntimeError, TypeError, ValueError, IndexError)  # with PyTorch's own words
_SCRIPTS = ("bash", "cmd", "sh", "script", "writefile", "sx", "system", "perl", "ruby", "pypy")


class Runner:
    """One run of one job, in a process of its own."""

    def __init__(self, job: RunOrder, tell: Callable[[Ended], object]) -> None:
        self._job, self._order, self._tell = job, job.order, tell
        self._runs: list[CellRun] = []
        self._timed_out: list[str] = []
        self._cut: list[str] = []
        self._running: str | None = None
        self._over = threads.Bell()

    def run(self) -> Ended:
        """Run all cells, up to one that does not come to its end."""
        job, order = self._job, self._order
        self._shell = shell = _shell()
        if name := order.argv[0]:
            shell.user_ns["__file__"] = os.path.realpath(name)
        capacity = job.capacity_bytes or _UNLIMITED
        simulator = import_module(SIMULATOR)
        compute = "meta" if order.values_to is None else "cpu"
        simulation = simulator.simulate(capacity, compute=compute)
        simulation.be_of(*min(tuple(job.capability), _NEWEST))
        del os.environ["CUDA_VISIBLE_DEVICES"]
        if job.held_by == sandbox.PYTHON:  # elsewhere no device of one can be opened
            os.putenv("CUDA_VISIBLE_DEVICES", "")  # which C code reads, and Python does not
        if order.fake_data:
            fake_data()
        # A notebook that simulates one has one; one that asks for a dry run is in it.
        vars(import_module(OWN)).update(simulate=_nothing, dry_run=_nothing)
        self._watch = _Watch(simulation.allocator, job.refuse_at)
        self._training = StepCounter(simulation.allocator, order.steps)
        self._training.follow(shell)
        self._observer = Observer()
        self._observer.attach()
        threads.start(self._tell_so_far)
        for cell_id, source in job.cells:
            ended = self._run_cell(cell_id, source)
            if ended is not None:
                break
            if cell_id == order.values_to:
                simulation.forget_values()
        self._over.ring()
        return ended or self._ended("done")

    def _tell_so_far(self) -> None:
        """Send the progress at intervals, for the last state if the process is killed."""
        last = None
        while not self._over.wait(_TELL_EVERY_S):
            now = self._ended("died")
            if now != last:
                self._tell(now)
            last = now

    def _run_cell(self, cell_id: str, source: str) -> Ended | None:
        self._running = cell_id
        self._tell(self._ended("died"))
        run = CellRun(cell_id, self._shell.execution_count, source, None, time.time())
        self._observer.take()
        self._training.cut.clear()
        error = self._executed(source)
        recognition = None if error is None else recognise(error)
        is_up = isinstance(error, Timeout)
        status: Any = "oom" if recognition else "ok" if error is None or is_up else "error"
        run = replace(run, end_s=time.time(), status=status)
        self._runs.append(run)
        self._cut += [cell_id] if self._training.cut else []
        self._timed_out += [cell_id] if is_up else []
        if error is None or is_up:
            return None
        if recognition is not None and not recognition.in_other_process:
            return self._out_of_memory(error, recognition, run)
        place, line = self._place(error)
        kind = "not_simulated" if _is_of_simulator(error) else "error"
        text = f"{type(error).__name__}: {error}"[:_SHORTENED]
        return {**self._ended(kind), "cell_id": place or cell_id, "line": line, "error": text}

    def _executed(self, source: str) -> BaseException | None:
        """Execute a cell, and return what it raised."""
        clock = Clock(self._order.cell_s)
        try:
            result = self._shell.run_cell(source, store_history=True)
            clock.stop()
        except Timeout as error:  # beside the cell's own code
            clock.stop()
            return error
        raised: BaseException | None = result.error_before_exec or result.error_in_exec
        return raised

    def _out_of_memory(self, error: BaseException, recognition: Recognition, run: CellRun) -> Ended:
        capture = self._observer.take()
        snapshot = DeviceSnapshot(0, time.time(), *Sources(lambda *_: None).read()[:3])
        failure = Failure(
            error=error,
            recognition=recognition,
            capture=capture,
            helper_id="",
            cell=run,
            cells=tuple(self._runs),
            device=snapshot.device(0),
            shell=self._shell,
            time_s=snapshot.time_s,
            runs=tuple(self._runs),
            simulated=True,
        )
        with each_parsed_once():
            built = report_of(measure(failure, Turn(_WALK_S)))
            edits = edits_of(built.report, built.fixes.get, dict(self._job.cells))
        cell_id, line = self._place(error)
        ended = self._ended("oom")
        if peak := ended["peak"]:  # with what was not to be had: so much is needed at least
            peak["allocated_bytes"] = max(peak["allocated_bytes"], self._watch.latest)
        return {
            **ended,
            "cell_id": cell_id or run.cell_id,
            "line": line,
            "report": built.report,
            "edits": edits,
        }

    def _place(self, error: BaseException) -> tuple[str | None, int | None]:
        """Return the innermost line of a cell on the way to an error."""
        place: tuple[str | None, int | None] = (None, None)
        for frame, line in walk_tb(error.__traceback__):
            cell_id = self._cell_of(frame.f_code.co_filename)
            if cell_id is not None:
                place = cell_id, line
        return place

    def _cell_of(self, filename: str) -> str | None:
        count = filename.removeprefix(_CELL).partition("-")[0]
        if not filename.startswith(_CELL) or not count.isdecimal():
            return None
        place = int(count) - 1
        cells = self._job.cells
        return cells[place][0] if 0 <= place < len(cells) else None

    def _ended(self, outcome: Any) -> Ended:
        return {
            **NOTHING,
            "outcome": outcome,
            "running": self._running,
            "peak": self._peak(self._watch),
            "cut": [*self._cut],
            "timed_out": [*self._timed_out],
        }

    def _peak(self, watch: _Watch) -> RunPeak | None:
        if not watch.peak_request:
            return None
        allocated, reserved = watch.peaks()
        cell_id = None if watch.filename is None else self._cell_of(watch.filename)
        return {
            "allocated_bytes": allocated,
            "reserved_bytes": reserved,
            "outside_bytes": watch.allocator.outside,
            "request": watch.peak_request,
            "threads": len(watch.threads),
            "cell_id": cell_id,
            "line": None if cell_id is None else watch.line,
        }


class _Watch:
    """Counts the requests to the GPU, and knows which one reached the peak, and from where.

    From the one of number `refuse_at` on all are refused.
    """

    def __init__(self, allocator: Any, refuse_at: int | None) -> None:
        self.allocator = allocator
        self._refuse_at = refuse_at
        self._requests = self.latest = self._most = self.peak_request = 0
        self.threads: set[int] = set()
        self.filename: str | None = None
        self.line: int | None = None
        self._peaks, self._reset = [0, 0], allocator.reset_peaks
        allocator.refuses, allocator.reset_peaks = self.hear, self._start_again

    def peaks(self) -> list[int]:
        """Return the most that was allocated, and reserved, whatever the program has reset."""
        now = self.allocator.stats()
        most = [now[counter]["all"]["peak"] for counter in ("allocated_bytes", "reserved_bytes")]
        self._peaks = [*map(max, self._peaks, most)]
        return self._peaks

    def _start_again(self) -> None:
        self.peaks()
        self._reset()

    def hear(self, in_use_then: int) -> bool:
        """Hear of a request, after which so much would be in use; whether it is refused."""
        self._requests, self.latest = self._requests + 1, in_use_then
        self.threads.add(threading.get_ident())
        if in_use_then > self._most:
            self._most, self.peak_request = in_use_then, self._requests
            frame: Any = sys._getframe(1)  # noqa: SLF001  the documented way to the callers
            while frame is not None and not frame.f_code.co_filename.startswith(_CELL):
                frame = frame.f_back
            if frame is not None:
                self.filename, self.line = frame.f_code.co_filename, frame.f_lineno
        return self._refuse_at is not None and self._requests >= self._refuse_at


def _shell() -> Any:
    """Return a shell that shows nothing, keeps no history and passes commands over."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    shell: Any = InteractiveShell.instance(config=config)
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    shell.system = shell.system_piped = shell.system_raw = lambda *_, **__: None
    shell.getoutput = lambda *_, **__: []
    for kind, names in (("line", _COMMANDS), ("cell", _SCRIPTS)):
        for name in names:
            shell.register_magic_function(_nothing, kind, name)
    shell.enable_matplotlib = shell.enable_gui = lambda *_, **__: ("agg", "agg")
    return shell


def _nothing(*_: Any, **__: Any) -> None:
    """Be a command that is passed over."""


def _is_of_simulator(error: BaseException) -> bool:
    """Whether the simulated GPU has raised it, and a real one would not, or it says so."""
    last = ""
    for frame, _ in walk_tb(error.__traceback__):
        last = frame.f_globals.get("__name__", "")
    is_own = str(last).partition(".")[0] == SIMULATOR and type(error) not in _AS_ON_A_GPU
    return is_own or "simulated GPU" in str(error)
