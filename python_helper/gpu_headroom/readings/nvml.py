"""The GPUs and the processes on them, as NVIDIA's driver lists them."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import system
from ..frameworks.imported import simulation
from ..frameworks.view import View
from ..text.messages import message
from . import nvml_library
from .merge import plain_uuid
from .nvml_library import HOST_MEMORY, Nvml
from .power import Power
from .visible import Board, is_certain, visible

if TYPE_CHECKING:
    from ..protocol.generated import wire
    from .snapshot import DeviceReading

_OTHERS_EVERY_S = 5.0
_EMPTY = 0.95  # of its memory is free
# The initial namespace of process ids has this number in every Linux kernel
# (PROC_PID_INIT_INO in include/linux/proc_ns.h).
_INITIAL_NAMESPACE = "pid:[4026531836]"
_PROC = Path("/proc")
_DEVICES = Path("/dev")
# Name prefixes of NVIDIA's own driver, of its small boards (Jetson), and of WSL.
_DEVICE_FILES = ("nvidia", "nvhost", "nvmap", "dxg")


class Identity(NamedTuple):
    """Ids under which the driver may list this process, and whether other ids are valid here."""

    pids: frozenset[int]
    same_namespace: bool


def identity(proc: Path = _PROC) -> Identity | None:
    """Return how the driver lists this process; `None` in a container where that is unknown."""
    if os.name == "nt":  # where there are no namespaces of process ids
        return Identity(frozenset({os.getpid()}), same_namespace=True)
    try:
        if str((proc / "self/ns/pid").readlink()) == _INITIAL_NAMESPACE:
            return Identity(frozenset({os.getpid()}), same_namespace=True)
        status = (proc / "self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    line = next((text for text in status.splitlines() if text.startswith("NSpid:")), "")
    pids = [int(pid) for pid in line.split()[1:]]
    return Identity(frozenset(pids), same_namespace=False) if len(pids) > 1 else None


class Driver:
    """The driver's library, opened once per process; every method is safe from any thread.

    Returns no readings in a forked child: neither locks nor handles survive a fork.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._pid = 0
        self._library: Nvml | None = None
        self._simulation: object = None
        self._power: Power | None = None
        self._identity: Identity | None = None
        self._boards: tuple[Board, ...] = ()
        self._setting: str | None = None
        self._fixed = False
        self._absent = False
        self._others: dict[str, tuple[float, int | None]] = {}

    def open(self) -> None:
        """Load and start the library of this machine, once; without one, readings are empty.

        Does nothing while all GPUs are suspended, so call it again; repeated calls are cheap.
        """
        if self._pid != 0 or simulation() is not None:
            return
        self._power = self._power or Power()
        if not self._power.asleep():
            self._pid = os.getpid()
            library = nvml_library.load()
            if library is not None:
                self._use(Nvml(library), identity(), None)
            # Some containers lack only the library: there the device files exist.
            self._absent = self._library is None and _has_no_device()

    def close(self) -> None:
        """Release the library; `open` may follow."""
        if self._library is not None and self._pid == os.getpid():
            self._library.stop()
        self._forget()

    def read(self, fixed: bool) -> tuple[View, ...]:
        """Read each GPU that is visible to this process, in CUDA's order.

        `fixed` states that CUDA is initialized, so that a change of CUDA_VISIBLE_DEVICES has no
        effect.
        """
        library = self._here()
        if library is None or (self._power is not None and self._power.asleep()):
            return ()
        if not self._fixed:
            self._setting = os.environ.get("CUDA_VISIBLE_DEVICES")
        self._fixed = fixed
        order = os.environ.get("CUDA_DEVICE_ORDER")
        certain = is_certain(self._setting, order, self._boards)
        boards = visible(self._setting, self._boards)
        return tuple(
            [self._view(library, index, board, certain) for index, board in enumerate(boards)]
        )

    def hidden(self) -> tuple[tuple[int, int], ...]:
        """Return free bytes and number of each empty GPU that CUDA_VISIBLE_DEVICES hides."""
        library = self._here()
        if library is None or (self._power is not None and self._power.asleep(any_of_them=True)):
            return ()
        shown = {board.uuid for board in visible(self._setting, self._boards)}
        boards = [(n, board) for n, board in enumerate(self._boards) if board.uuid not in shown]
        read = [(n, library.memory(board.handle)) for n, board in boards if not board.instances]
        sizes = [(n, memory[0] or 0, memory[1] or 0) for n, memory in read if memory]
        return tuple([(free, n) for n, total, free in sizes if free >= _EMPTY * total > 0])

    def shows_none(self) -> bool:
        """Whether CUDA has no device in this process, hidden ones not counted."""
        if self._pid != os.getpid() or simulation() is not None:
            return False
        if self._library is None:
            return self._absent
        return not visible(self._setting, self._boards)

    def processes(self, device: DeviceReading) -> list[wire.Process] | None:
        """Return the other processes on a device, largest first; `None` where they are hidden."""
        library = self._here()
        if library is None or device.uuid is None:
            return None
        wanted = plain_uuid(device.uuid)
        candidates = [instance for board in self._boards for instance in (board, *board.instances)]
        board = next(
            (candidate for candidate in candidates if plain_uuid(candidate.uuid) == wanted), None
        )
        usage = None if board is None else self._list_others(library, board)
        if usage is None or self._identity is None:
            return None
        here = self._identity.same_namespace
        return [
            {
                "pid": pid if here else None,
                "name": library.process_name(pid),
                "bytes": used,
            }
            for pid, used in sorted(usage.items(), key=lambda row: -(row[1] or 0))
        ]

    def _use(self, library: Nvml, own: Identity | None, simulated: object) -> None:
        if not library.start():
            return
        boards = tuple([_board(library, handle) for handle in library.handles()])
        if simulation() is not simulated:  # a simulation began while a real driver was starting
            library.stop()
            return
        self._boards = boards
        self._identity, self._others = own, {}
        self._library = library  # last, as other threads may read it at any time

    def _here(self) -> Nvml | None:
        """Return the library if it is open in this process, else `None`.

        While there is a simulated GPU, that is its own library, which opens in no time.
        """
        now = simulation()
        if now is not self._simulation:
            self.close()
            if now is not None:
                self._pid, self._simulation = os.getpid(), now
                own = Identity(frozenset({self._pid}), same_namespace=True)
                self._use(Nvml(now.driver()), own, now)
        return self._library if self._pid == os.getpid() else None

    def _view(self, library: Nvml, index: int, board: Board, certain: bool) -> View:
        memory = library.memory(board.handle)
        total, free = memory or (None, None)
        others_bytes = self._others_bytes(library, board)
        notes = [] if certain else [message("note.mapping", index=index)]
        if others_bytes is None and system.has_wddm():
            notes.append(message("note.wddm_others"))
        return View(
            index=index,
            name=board.name,
            uuid=board.uuid.removeprefix("GPU-") or None,
            simulated=self._simulation is not None,
            shared_with_host=memory == HOST_MEMORY,
            total_bytes=total,
            free_bytes=free,
            others_bytes=others_bytes,
            gpu_source="nvmlDeviceGetMemoryInfo",
            notes=tuple(notes),
        )

    def _others_bytes(self, library: Nvml, board: Board) -> int | None:
        """Return the bytes of other processes on a GPU; costly, so read every 5 s only."""
        now = time.monotonic()
        read_at, total = self._others.get(board.uuid, (-_OTHERS_EVERY_S, None))
        if now - read_at < _OTHERS_EVERY_S:
            return total
        usage = self._list_others(library, board)
        used = [] if usage is None else list(usage.values())
        total = None if usage is None or None in used else sum(size or 0 for size in used)
        self._others[board.uuid] = (now, total)
        return total

    def _list_others(self, library: Nvml, board: Board) -> dict[int, int | None] | None:
        listed = library.processes(board.handle)
        if listed is None or self._identity is None:
            return None
        usage = {pid: used for pid, used in listed.items() if pid not in self._identity.pids}
        # WSL lists no process, and Windows not all: an empty list there means unknown.
        return usage or (None if system.has_wddm() else usage)


def _has_no_device() -> bool:
    """Whether there is certainly no NVIDIA GPU; known without a driver only on Linux."""
    if sys.platform == "linux":
        with suppress(OSError):
            return not any(path.name.startswith(_DEVICE_FILES) for path in _DEVICES.iterdir())
    return False


def _board(library: Nvml, handle: object) -> Board:
    instances = tuple([_board(library, instance) for instance in library.instances(handle)])
    return Board(handle, library.uuid(handle) or "", library.name(handle), instances)


DRIVER = Driver()
processes = DRIVER.processes
