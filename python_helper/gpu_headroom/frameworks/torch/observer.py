"""State of PyTorch's allocator at the moment of an out-of-memory error.

PyTorch calls an observer on the allocating thread, after its retry and before it raises; the
allocator's lock is then free. An observer can never be detached, and an exception of it replaces
the user's error: hence one trampoline per process, with a replaceable body and no exceptions.

All threads may be in the middle of an operation. So this reads only the allocator's own records,
which have a lock of their own, and file, line and function of each thread's frames: no tensor, no
graph, no variable. It keeps no frame objects and allocates nothing on the GPU.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from traceback import walk_stack
from typing import TYPE_CHECKING, Any

from . import private
from .private import DEFAULT_POOL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    FrameLine = tuple[str, int, str]

_SHARE = 0.01  # maximum share of time: programs probe with out-of-memory errors
_DEPTH = 100
_MOST_THREADS = 100


@dataclass(frozen=True, slots=True)
class Capture:
    """One failure as the allocator saw it; sizes in bytes, `None` is not measured.

    `capacity_bytes` is the limit where a memory fraction is set, `largest_block_bytes` the largest
    free block of the pool that all requests share. `segments_expand` is whether any of the
    allocator's segments is expandable. `requested_bytes` is the size of the segment that the driver
    refused, which PyTorch's message rounds. A frame is file, line, function.
    """

    time_s: float
    device_index: int
    capacity_bytes: int
    free_bytes: int
    stats: Mapping[str, Any]
    largest_block_bytes: int | None
    segments_expand: bool | None
    threads: tuple[tuple[str, tuple[FrameLine, ...]], ...]
    requested_bytes: int | None = None


class _Trampoline:
    """The object that PyTorch keeps registered forever."""

    def __init__(self) -> None:
        self.body: Callable[[int, int, int, int], None] | None = None
        self.attached_to: list[object] = []
        self.start: Callable[[], object] | None = None
        self._busy = threading.local()

    def __call__(self, device: int, segment: int, capacity: int, free: int) -> None:
        if self.body is None or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            self.body(device, segment, capacity, free)
        except BaseException:  # noqa: BLE001, S110 — anything raised here would replace the user's error
            pass
        finally:
            self._busy.now = False


_TRAMPOLINE = _Trampoline()


def _at_start() -> None:
    """Run the start callback; PyTorch keeps this function until CUDA is initialized."""
    with suppress(Exception):
        if _TRAMPOLINE.start is not None:
            _TRAMPOLINE.start()


class Observer:
    """Keeps the last failure of each thread until it is taken; only the newest observer is called.

    If `failed` is given it is called with each failure instead, on the failing thread.
    """

    def __init__(self, failed: Callable[[Capture], None] | None = None) -> None:
        self._failed = failed
        self._last: dict[int, Capture] = {}
        self._first: Capture | None = None
        self._looks_from_s = float("-inf")

    def await_start(
        self, forked: Callable[[], bool], started: Callable[[], object] = lambda: None
    ) -> None:
        """Attach when CUDA is initialized, not in a forked child; then call `started`."""
        _TRAMPOLINE.start = lambda: forked() or (self.attach(), started())
        private.at_start(_at_start)

    def attach(self) -> bool:
        """Observe PyTorch's allocator; call only once CUDA is initialized.

        Attaching earlier crashes PyTorch 2.0 and initializes CUDA in later versions; 2.0 observes
        only the current GPU. False where there is no such observer, or the allocator's backend
        refuses one.
        """
        register = private.observer_registry()
        if register is None:
            return False
        _TRAMPOLINE.body = self._observe
        if any(register == attached for attached in _TRAMPOLINE.attached_to):
            return True
        try:
            register(_TRAMPOLINE)
        except RuntimeError:  # cudaMallocAsync and pluggable allocators
            return False
        _TRAMPOLINE.attached_to.append(register)
        return True

    def detach(self) -> None:
        """Stop observing; the trampoline stays registered, without a body."""
        if _TRAMPOLINE.body in {None, self._observe}:
            _TRAMPOLINE.body = _TRAMPOLINE.start = None
        self._last, self._first = {}, None

    def take(self, thread_id: int | None = None) -> Capture | None:
        """Remove and return the last failure, or that of one thread; `None` without one."""
        if thread_id is not None:
            return self._last.pop(thread_id, None)
        last, self._last = self._last, {}
        return max(list(last.values()), key=lambda capture: capture.time_s, default=None)

    def take_first(self) -> Capture | None:
        """Remove and return the first failure since the last call; `None` without one."""
        first, self._first = self._first, None
        return first

    def _observe(self, device: int, segment: int, capacity: int, free: int) -> None:
        thread_id = threading.get_ident()
        if len(self._last) >= _MOST_THREADS:
            self._last = {}
        segments = self._look(device)
        capture = Capture(
            time_s=time.time(),
            device_index=device,
            capacity_bytes=capacity,
            free_bytes=free,
            stats=private.statistics(device),
            largest_block_bytes=None if segments is None else _largest_block(segments),
            segments_expand=None
            if segments is None
            else any(segment.get("is_expandable", False) for segment in segments),
            threads=_threads(),
            requested_bytes=segment,
        )
        self._first = self._first or capture
        if self._failed is None:
            self._last[thread_id] = capture
        else:
            self._failed(capture)

    def _look(self, device: int) -> list[Mapping[str, Any]] | None:
        """Return the segments of a device, unless recent looks took too much of the time."""
        begun_s = time.monotonic()
        if begun_s < self._looks_from_s:
            return None
        try:
            return _segments(device)
        finally:
            ended_s = time.monotonic()
            self._looks_from_s = ended_s + (ended_s - begun_s) / _SHARE


def _segments(device: int) -> list[Mapping[str, Any]] | None:
    snapshot = private.block_snapshot()
    if snapshot is None:
        return None
    return [segment for segment in snapshot["segments"] if segment["device"] == device]


def _largest_block(segments: list[Mapping[str, Any]]) -> int:
    sizes = [
        block["size"]
        for segment in segments
        if tuple(segment.get("segment_pool_id", DEFAULT_POOL)) == DEFAULT_POOL
        for block in segment["blocks"]
        if block["state"] == "inactive"
    ]
    return max(sizes, default=0)


def _threads() -> tuple[tuple[str, tuple[FrameLine, ...]], ...]:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames()  # noqa: SLF001 — the documented way to other threads' stacks
    try:
        return tuple([(names.get(ident, "?"), _lines(frame)) for ident, frame in frames.items()])
    finally:
        frames.clear()


def _lines(frame: FrameType) -> tuple[FrameLine, ...]:
    stack = islice(walk_stack(frame), _DEPTH)
    return tuple(
        [(caller.f_code.co_filename, line, caller.f_code.co_name) for caller, line in stack]
    )
