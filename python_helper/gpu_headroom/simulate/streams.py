"""Streams and events: everything is done at once, whatever stream it is on."""

from __future__ import annotations

import itertools
import time
from typing import Any

import torch

_cuda: Any = torch.cuda  # its types do not know of our streams
_ids = itertools.count(1)


class Stream:
    """Stands in for `torch.cuda.Stream` and `torch.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **more: Any) -> None:
        self.device_index: int = more.get("device_index", _index_of(device))
        self.device = torch.device("cuda", self.device_index)
        self.device_type = 1
        self.priority = priority
        self.stream_id = more.get("stream_id", next(_ids))
        self.cuda_stream = self.stream_id
        self._before: list[Stream] = []

    def wait_stream(self, stream: Any) -> None:
        """Wait for nothing: all work is done."""

    def wait_event(self, event: Any) -> None:
        """Wait for nothing: all work is done."""

    def synchronize(self) -> None:
        """Wait for nothing: all work is done."""

    def query(self) -> bool:
        """Whether all work is done: always."""
        return True

    def is_capturing(self) -> bool:
        """Whether a CUDA graph is being captured: there are none."""
        return False

    def record_event(self, event: Event | None = None) -> Event:
        """Record `event`, or a new one, and return it."""
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:  # noqa: PYI034 -- typing.Self is 3.11
        """Make this the current stream and its device the current device."""
        self._before += [_cuda.current_stream(), _cuda.current_stream(self.device)]
        _cuda.set_stream(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Go back to the stream and the device before."""
        _cuda.set_stream(self._before.pop())
        _cuda.set_stream(self._before.pop())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Stream)
            and other.stream_id == self.stream_id
            and other.device_index == self.device_index
        )

    def __hash__(self) -> int:
        return hash((self.stream_id, self.device_index))


class Event:
    """Stands in for `torch.cuda.Event`; its times are the host's."""

    def __init__(
        self,
        enable_timing: bool = False,
        **_: Any,
    ) -> None:
        self.enable_timing = enable_timing
        self._time_s: float | None = None

    def record(self, stream: Any = None) -> None:
        """Remember the present moment."""
        del stream
        self._time_s = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Wait for nothing: all work is done."""

    def synchronize(self) -> None:
        """Wait for nothing: all work is done."""

    def query(self) -> bool:
        """Whether the event has happened: always."""
        return True

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event to `end`; both must have been recorded."""
        if self._time_s is None or end._time_s is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end._time_s - self._time_s) * 1000


def _index_of(device: Any) -> Any:
    index = device if isinstance(device, int) else device and torch.device(device).index
    return _cuda.current_device() if index is None else index
