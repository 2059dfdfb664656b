"""GPU readings and failure analysis in a worker that is not a copy of the kernel.

A failure is analyzed on the failing thread, while its allocator is about to raise: engines drop the
frames of an error before the helper could receive it.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from importlib import import_module
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..cells.runs import CellRun
from ..concurrency import threads
from ..concurrency.other_threads import kind_of_file
from ..concurrency.turns import Turn
from ..frameworks.imported import imported
from ..frameworks.torch import private
from ..frameworks.torch.observer import Observer
from ..holders.no_shell import shell_of
from ..oom.failure import Failure
from ..own import OURS
from ..readings.sources import Sources
from ..text.format import format_bytes
from .gpus import reading_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from ..errors.recognise import Recognition
    from ..frameworks.torch.observer import Capture
    from ..readings.snapshot import DeviceSnapshot

_EVERY_S = 0.5
_SOON_S = 0.05  # until CUDA is initialized: a failure may follow immediately
_WALK_S = 0.25  # of processor time
_PAUSE_S = 10.0  # between analyses: programs probe for free memory by failing
_MOST_KEPT = 100  # tasks
_LEAVES_COPIES = sys.version_info < (3, 13)
_OPTIMIZED = 1  # CO_OPTIMIZED: functions, whose `f_locals` is a copy


def failure_in(
    names: dict[str, Any], error: BaseException, capture: Capture | None
) -> Callable[[Recognition, DeviceSnapshot], Failure]:
    """Return a factory of `Failure` objects for an error in a process with these `names`."""

    def failure_of(recognition: Recognition, snapshot: DeviceSnapshot) -> Failure:
        ordinal = recognition.said.device_index
        index = ordinal if ordinal is not None else 0 if capture is None else capture.device_index
        other_devices = tuple([device for device in snapshot.devices if device.index != index])
        return Failure(
            error=error,
            recognition=recognition,
            capture=capture,
            helper_id="",
            cell=CellRun(None, None, "", None, snapshot.time_s),
            cells=(),
            device=snapshot.device(index),
            shell=shell_of(names),
            time_s=snapshot.time_s,
            simulated=any(device.simulated for device in snapshot.devices),
            other_devices=other_devices,
        )

    return failure_of


class Aside:
    """Measurements and failure analysis in one process of an engine.

    `names` returns the objects that the engine keeps in this process. `task` returns the key of the
    task that a thread runs, by thread id. The analysis of a task is stored until `take` is called
    for it: when the task is known to have failed, or has completed after all.
    """

    def __init__(self, names: Callable[[], dict[str, Any]], task: Callable[[int], object]) -> None:
        self._names = names
        self._task = task
        self._sources = Sources(lambda *_: None)
        self._observer = Observer(self._failed)
        self._stopping = False
        self._looks_from_s = float("-inf")
        self._found: dict[object, dict[str, Any]] = {}
        self.devices: list[dict[str, Any]] = []

    def start(self) -> None:
        """Start the reading thread."""
        threads.start(self._run)

    def stop(self) -> None:
        """Stop reading and detach; PyTorch keeps the observer registered, but inactive."""
        self._stopping = True
        self._observer.detach()
        self._sources.close()

    def take(self, task: object) -> dict[str, Any] | None:
        """Remove and return the analysis of a task's failure; `None` without one."""
        return self._found.pop(task, None) if self._found else None

    def _run(self) -> None:
        is_up = False
        while not self._stopping:
            with suppress(Exception):  # there is no one to report it to; the next reading retries
                is_up = self._look()
            time.sleep(_EVERY_S if is_up else _SOON_S)

    def _look(self) -> bool:
        if imported("torch.cuda") is None:
            return False
        self._observer.await_start(lambda: self._stopping)
        if self._sources.torch.state() != "live":
            return False
        self._observer.attach()
        # Import the slow modules now rather than while a task fails and its worker is blocked.
        import_module(".explained", __package__)
        self._sources.prepare()
        self.devices = reading_of(self._sources.read(ticking=True).devices)
        return True

    def _failed(self, capture: Capture) -> None:
        """Analyze the task that this thread runs; PyTorch discards any exception raised here."""
        from .explained import explained

        now_s, task = time.monotonic(), self._task(get_ident())
        if task is None or now_s < self._looks_from_s or len(self._found) >= _MOST_KEPT:
            return
        self._looks_from_s = now_s + _PAUSE_S
        # The message that PyTorch is about to raise, with the numbers of the capture.
        error: BaseException = _class_of_torch()(_said(capture))
        frames = frames_of_person(sys._getframe(1))  # noqa: SLF001  documented, for this thread's stack
        try:
            failure_of = failure_in(
                self._names(), error.with_traceback(_traceback(frames)), capture
            )
            amid_forward = not private.in_backward()
            turn = Turn(_WALK_S, asked=False, only_slice_s=_WALK_S, amid_forward=amid_forward)
            analysis = explained(error, failure_of, turn)
            if analysis is not None:
                self._found[task] = analysis
        finally:
            error.__traceback__ = None
            for frame in frames:
                if _LEAVES_COPIES and frame.f_code.co_flags & _OPTIMIZED:
                    frame.f_locals.clear()


def _class_of_torch() -> Any:
    return getattr(imported("torch"), "OutOfMemoryError", None) or RuntimeError


def _said(capture: Capture) -> str:
    needed, capacity = capture.requested_bytes or 0, capture.capacity_bytes
    return (
        f"CUDA out of memory. Tried to allocate {format_bytes(needed)}. "
        f"GPU {capture.device_index} has a total capacity of {format_bytes(capacity)} "
        f"of which {format_bytes(capture.free_bytes)} is free."
    )


def frames_of_person(frame: FrameType | None) -> list[FrameType]:
    """Return the frames from `frame` out to the outermost one of user code, innermost first.

    Frames of the engine outside it are left out: reading `f_locals` leaves a copy in the frame
    (Python < 3.13), and the engine's loop never returns.
    """
    frames: list[FrameType] = []
    own = 0
    while frame is not None:
        root = str(frame.f_globals.get("__name__")).partition(".")[0]
        if root not in OURS:
            frames.append(frame)
            if kind_of_file(frame.f_code.co_filename) == "own":
                own = len(frames)
        frame = frame.f_back
    return frames[:own]


def _traceback(frames: list[FrameType]) -> TracebackType | None:
    step = None
    for frame in frames:
        step = TracebackType(step, frame, frame.f_lasti, frame.f_lineno)
    return step
