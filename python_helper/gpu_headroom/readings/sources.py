"""Readings of frameworks and driver, made without importing or starting any of them."""

from __future__ import annotations

import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.imported import imported
from ..frameworks.registry import FRAMEWORKS, part
from ..frameworks.torch.cuda import TorchCuda
from .merge import merge

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..frameworks.view import Source, View
    from ..protocol.generated import wire
    from .host import HostFiles
    from .snapshot import DeviceReading, HostReading

    Failed = Callable[[str, BaseException], None]

_HOST_EVERY_S = 1.0
_GPUS_EVERY_S = 0.9  # of two ticks a second, every other one reads the driver
_AGAIN_S = 60.0
_AGAIN_MOST_S = 3600.0
_BY_LIFE: tuple[wire.State, ...] = ("no_framework", "no_gpu", "not_initialised", "live")


class Reading(NamedTuple):
    """Result of one reading of all sources; `took_s` is the frameworks' share of the time."""

    state: wire.State
    devices: tuple[DeviceReading, ...]
    host: HostReading | None
    took_s: float = 0.0


class Sources:
    """All sources of one kernel: each framework once it is imported, the driver once opened.

    PyTorch is always read; the others, whose modules have to be imported, once they are included. A
    source other than PyTorch that fails is reported to `failed` and left out for a minute, then for
    twice that each time, an hour at most. If `frozen` is set it is returned for every reading: the
    GPU must not be touched any more.
    """

    def __init__(self, failed: Failed) -> None:
        self._failed = failed
        self._all_included = False
        self.torch = TorchCuda()
        self._frameworks: dict[str, Source] = {"torch": self.torch}
        # Failed sources: the end of their pause, and its length, in seconds.
        self._left_out: dict[str, tuple[float, float]] = {}
        self.frozen: Reading | None = None
        self._host: HostReading | None = None
        self._host_files: HostFiles | None = None
        self._host_read_s = -_HOST_EVERY_S
        self._gpus: tuple[View, ...] = ()
        self._gpus_read_s = -_GPUS_EVERY_S
        self._views: list[View] = []
        self._devices: tuple[DeviceReading, ...] = ()

    def include_all(self) -> None:
        """Also read the other frameworks, the host and the driver from now on."""
        self._all_included = True

    def prepare(self) -> None:
        """Include all sources, and open the driver's library if needed; may take seconds."""
        self.include_all()
        if self.frozen is None:
            self._guard("nvml", lambda: self._driver().open())

    def close(self) -> None:
        """Release the driver's library."""
        if self._all_included:
            self._guard("nvml", lambda: self._driver().close())

    def read(self, *, ticking: bool = False) -> Reading:
        """Read all live frameworks, and the driver; raises what PyTorch raises.

        With `ticking`, the driver is read only once a second, or where a framework's reserved
        memory has changed.
        """
        if self.frozen is not None:
            return self.frozen
        if self._all_included:
            self._look_for_frameworks()
        # Only frameworks are timed: files and the driver release the GIL, and the wait to get it
        # back beside a cell that computes is not the allocator's.
        started = time.perf_counter()
        states: dict[str, wire.State] = {
            name: self._ask(name, source.state) or "no_framework"
            for name, source in self._frameworks.items()
        }
        live = [name for name, state in states.items() if state == "live"]
        views = [
            view for name in live for view in self._ask(name, self._frameworks[name].read) or ()
        ]
        took_s = time.perf_counter() - started
        is_news = not ticking or [*map(id, views)] != [*map(id, self._views)]
        if self._all_included:
            is_news |= self._read_host() | self._read_gpus(views, ticking=ticking)
        if states["torch"] == "not_initialised" and self._guard("nvml", self._is_without_gpu):
            states["torch"] = "no_gpu"
        state = max(states.values(), key=_BY_LIFE.index)
        if is_news:
            self._devices = merge(views, self._gpus, self._host)
        self._views = views
        return Reading(state, self._devices, self._host, took_s)

    def _look_for_frameworks(self) -> None:
        for framework in FRAMEWORKS:
            for module, file in framework.SOURCES.items():
                name = module.replace(".", "_")
                if name not in self._frameworks and imported(module) is not None:
                    reading = self._guard(name, partial(part, framework, file))
                    if reading is not None:
                        self._frameworks[name] = reading.SOURCE()

    def _read_gpus(self, views: list[View], *, ticking: bool) -> bool:
        """Read the driver, unless a tick need not; return whether it was read.

        Each driver call releases the GIL, and may wait for the GPU.
        """
        now_s = time.monotonic()
        soon = now_s - self._gpus_read_s < _GPUS_EVERY_S
        if ticking and soon and _reserved(views) == _reserved(self._views):
            return False
        fixed = any(view.backend == "cuda" for view in views)
        self._gpus = self._guard("nvml", lambda: self._driver().read(fixed)) or ()
        self._gpus_read_s = now_s
        return True

    def _read_host(self) -> bool:
        """Read host memory, a few files, once a second; return whether it was read."""
        now_s = time.monotonic()
        if now_s - self._host_read_s < _HOST_EVERY_S:
            return False
        self._host = self._guard("host", self._host_now)
        self._host_read_s = now_s
        return True

    def _host_now(self) -> HostReading:
        if self._host_files is None:
            self._host_files = _module(".host").HostFiles()
        return self._host_files.read()

    def _ask(self, framework: str, call: Callable[[], Any]) -> Any:
        return call() if framework == "torch" else self._guard(framework, call)

    def _guard(self, name: str, call: Callable[[], Any]) -> Any:
        """Call a source that may be missing or fail; on failure leave it out for a while."""
        now_s = time.monotonic()
        until_s, waited_s = self._left_out.get(name, (now_s, _AGAIN_S / 2))
        if now_s < until_s:
            return None
        try:
            return call()
        except Exception as error:  # noqa: BLE001  an error of one framework must not affect the others
            wait_s = min(2 * waited_s, _AGAIN_MOST_S)
            self._left_out[name] = now_s + wait_s, wait_s
            self._failed(name, error)
            return None

    def _is_without_gpu(self) -> bool:
        """Whether this PyTorch is built for CUDA, and the driver shows it no GPU."""
        version = getattr(imported("torch"), "version", None)
        is_for_cuda = getattr(version, "cuda", None) is not None
        return self._all_included and is_for_cuda and self._driver().shows_none()

    def _driver(self) -> Any:
        return _module(".nvml").DRIVER


def _reserved(views: list[View]) -> list[int | None]:
    return [None if view.framework is None else view.framework.reserved_bytes for view in views]


def _module(name: str) -> Any:
    return import_module(name, __package__)
