"""Classes of `torch.cuda` whose C++ side a build without CUDA lacks.

Streams and events: everything is done at once, whatever stream it is on. Random numbers: each GPU
has a stream of its own.
"""

from __future__ import annotations

import itertools
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import CPU, device_index, is_gpu_device

if TYPE_CHECKING:
    from collections.abc import Iterator

_cuda: Any = torch.cuda  # its types do not know of our streams
_ids = itertools.cycle(range(1, 33))
"""There are 32 streams: who asks for another has one of them again."""


class _Done:
    """Base of streams and events, whose work is always done."""

    def synchronize(self) -> None:
        """Wait for nothing."""

    def query(self) -> bool:
        """Whether all work is done: always."""
        return True


class Stream(_Done):
    """Replacement of `torch.cuda.Stream` and `torch.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **more: Any) -> None:
        self.device = _gpu_device(more.get("device_index", device))
        self.device_index: int = self.device.index
        self.device_type = 1
        self.priority = priority
        self.stream_id = more.get("stream_id", next(_ids))
        self.cuda_stream = self.stream_id
        self._before: list[Stream] = []

    def wait_stream(self, stream: Any) -> None:
        """Wait for nothing."""

    def wait_event(self, event: Any) -> None:
        """Wait for nothing."""

    def is_capturing(self) -> bool:
        """Whether a CUDA graph is being captured."""
        return _cuda.is_current_stream_capturing()  # type: ignore[no-any-return]  # see `_cuda`

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


class Event(_Done):
    """Replacement of `torch.cuda.Event`; its times are the host's."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self.enable_timing = enable_timing
        self._time_s: float | None = None

    def record(self, stream: Any = None) -> None:
        """Record the current time."""
        del stream
        self._time_s = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Wait for nothing."""

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event to `end`; both must have been recorded."""
        if self._time_s is None or end._time_s is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end._time_s - self._time_s) * 1000


class _AnyGenerator(type(torch._C.Generator)):  # type: ignore[misc]  # noqa: SLF001 -- a base that mypy cannot compute; see below
    """Metaclass with which generators that PyTorch made before count as instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)  # noqa: SLF001 -- `torch.Generator` itself


class GpuGenerator(torch._C.Generator, metaclass=_AnyGenerator):  # noqa: SLF001 -- `torch.Generator` itself
    """Replacement of `torch.Generator`, which refuses device "cuda" in a build without CUDA.

    A generator for the GPU is one of the host with the GPU as its `device`: its numbers differ
    from those of a real GPU.
    """

    _device: torch.device

    def __new__(cls, device: Any = "cpu") -> GpuGenerator:  # noqa: PYI034 -- typing.Self is 3.11
        """Make a generator for `device`, a simulated GPU or a device that PyTorch has."""
        on_gpu = is_gpu_device(device)
        self = super().__new__(cls, "cpu" if on_gpu else device)  # type: ignore[call-arg]  # a C class
        self._device = _gpu_device(device) if on_gpu else CPU
        return self

    def __init__(self, device: Any = "cpu") -> None:
        del device  # taken by __new__

    @property
    def device(self) -> torch.device:  # type: ignore[override]  # the stubs call it an attribute
        """The device it draws for."""
        return self._device

    @contextmanager
    def in_charge(self) -> Iterator[None]:
        """Use this generator in operators that take none, and leave the host's unchanged."""
        default = torch.default_generator
        before = default.get_state()
        default.set_state(self.get_state())
        try:
            yield
        finally:
            self.set_state(default.get_state())
            default.set_state(before)


def _gpu_device(device: Any) -> torch.device:
    """Return the device with its index; None and "cuda" are the current GPU."""
    index = device if isinstance(device, int) else device and device_index(device)
    return torch.device("cuda", torch.cuda.current_device() if index is None else index)
