"""The driver's library: what it tells, what it hides, and what is never asked of it."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import system
from gpu_headroom.frameworks.view import FrameworkReading, View
from gpu_headroom.readings import nvml, nvml_library
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.nvml import Driver, Identity, identity
from gpu_headroom.readings.power import Power
from gpu_headroom.readings.snapshot import HostReading
from gpu_simulator.driver import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_headroom.readings.snapshot import DeviceReading
    from gpu_simulator.driver import Listing

GIB = 2**30
CONTEXT = 420 * 2**20
UUIDS = ("aaaa-1", "bbbb-2")


class Machine:
    """Two GPUs of 16 GiB: this process uses the first, another program 2 GiB of the second."""

    def __init__(self) -> None:
        self.gpus: Any = (
            SimpleNamespace(
                index=0,
                name="T4",
                uuid=UUIDS[0],
                capacity=16 * GIB,
                outside=CONTEXT,
                context=CONTEXT,
                reserved=GIB,
                has_context=True,
            ),
            SimpleNamespace(
                index=1,
                name="T4",
                uuid=UUIDS[1],
                capacity=16 * GIB,
                outside=2 * GIB,
                context=0,
                reserved=0,
                has_context=False,
            ),
        )


class OldLibrary:
    """A library that lacks some functions, or has others."""

    def __init__(self, library: Any, lacks: tuple[str, ...] = (), **has: Any) -> None:
        self._library, self._lacks = library, lacks
        vars(self).update(has)

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name in self._lacks:
            raise AttributeError(name)
        function: Callable[..., int] = getattr(self._library, name)
        return function


def gives(**fields: int) -> Callable[..., int]:
    """Make a function of the library that fills these fields of what it is given by reference."""

    def call(*arguments: Any) -> int:
        for argument in arguments:
            for name, value in fields.items() if hasattr(argument, "_obj") else ():
                setattr(argument._obj, name, value)
        return 0

    return call


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Driver]:
    """Open a driver on a library, as a process that knows its ids."""

    def open_driver(library: Any, own: Identity | None = None, *, unknown: bool = False) -> Driver:
        ids = own or Identity(frozenset({os.getpid()}), same_namespace=True)
        monkeypatch.setattr(nvml_library, "load", lambda: library)
        monkeypatch.setattr(nvml, "identity", lambda: None if unknown else ids)
        driver = Driver()
        driver.open()
        return driver

    return open_driver


def devices(driver: Driver) -> tuple[DeviceReading, ...]:
    """What the driver alone tells."""
    return merge((), driver.read(fixed=False))


def test_tells_totals_and_who_uses_them(opened: Callable[..., Driver]) -> None:
    """Totals of each GPU before any framework has started, and the bytes of others."""
    first, second = devices(opened(Library(Machine())))
    assert (first.uuid, first.name, first.capacity_bytes) == (UUIDS[0], "T4", 16 * GIB)
    assert (first.free_bytes, first.others_bytes) == (15 * GIB - CONTEXT, 0)
    assert (second.outside_bytes, second.others_bytes) == (2 * GIB, 2 * GIB)


@pytest.mark.parametrize("listing", ["hidden", "unmeasured"])
def test_what_the_driver_hides_is_not_measured(
    opened: Callable[..., Driver], listing: Listing
) -> None:
    """MIG and Windows keep the bytes of a process to themselves; totals remain."""
    driver = opened(Library(Machine(), listing))
    _, second = devices(driver)
    assert second.others_bytes is None
    assert second.outside_bytes == 2 * GIB
    rows = driver.processes(second)
    assert rows is None if listing == "hidden" else [row["bytes"] for row in rows or []] == [None]


def test_windows_tells_no_memory_by_process(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under WDDM a process has NVML_VALUE_NOT_AVAILABLE, and the list of WSL is empty: never 0."""
    monkeypatch.setattr(system, "has_wddm", lambda: True)
    driver = opened(Library(Machine(), "unmeasured"))
    torch = View(1, uuid=UUIDS[1], framework=FrameworkReading("torch", GIB, 0))
    first, second = merge([torch], driver.read(fixed=False))
    assert (first.others_bytes, second.others_bytes) == (None, None)
    assert [entry["id"] for entry in second.notes] == ["note.wddm_others"]
    assert [entry["bytes"] for entry in driver.processes(second) or []] == [None]
    assert driver.processes(first) is None
    assert second.outside_bytes == GIB


def unified(**functions: Any) -> OldLibrary:
    """The library as on GB10: it refuses to tell of memory but that of a process."""
    refusals = {f"nvmlDeviceGetMemoryInfo{version}": lambda *_: 3 for version in ("", "_v2")}
    return OldLibrary(Library(Machine()), **refusals | functions)


def test_without_memory_of_its_own_a_gpu_has_the_hosts(opened: Callable[..., Driver]) -> None:
    """GB10 and Jetson: NOT_SUPPORTED, before and after PyTorch has started."""
    machine = HostReading(GIB, 2 * GIB, 8 * GIB, 0, 70 * GIB, 120 * GIB)
    views = opened(unified()).read(fixed=False)
    assert [view.shared_with_host for view in views] == [True, True]
    torch = View(
        0,
        uuid=UUIDS[0],
        shared_with_host=True,
        total_bytes=119 * GIB,
        framework=FrameworkReading("torch", 5 * GIB, GIB),
        ask_gpu=lambda: pytest.fail("cudaMemGetInfo counts the page cache as used"),
    )
    first, second = merge([torch], views, machine)
    assert (first.capacity_bytes, first.free_bytes) == (119 * GIB, 70 * GIB)
    assert (first.outside_bytes, first.headroom_bytes) == (43 * GIB, 71 * GIB)
    assert (second.capacity_bytes, second.free_bytes) == (120 * GIB, 70 * GIB)
    assert second.others_bytes == 2 * GIB
    assert second.capacity_source == second.free_source == "/proc/meminfo"


@pytest.mark.parametrize("status", [4, 15, None])
def test_a_driver_that_fails_has_no_memory_of_the_host(
    opened: Callable[..., Driver], status: int | None
) -> None:
    """No permission, a GPU that is lost, no such function: not measured."""
    name = "nvmlDeviceGetMemoryInfo"
    library = unified(**{name: lambda *_: status}) if status else unified()
    if status is None:
        library._lacks = (name,)
        del vars(library)[name]
    first, _ = merge((), opened(library).read(fixed=False), HostReading(1, 2, 3, 0, 2, 3))
    assert (first.shared_with_host, first.capacity_bytes, first.free_bytes) == (False, None, None)


def test_in_a_container_no_process_is_taken_for_this_one(opened: Callable[..., Driver]) -> None:
    """A process id of another namespace may be of any process: nothing is said of others."""
    driver = opened(Library(Machine()), unknown=True)
    first, second = devices(driver)
    assert (first.others_bytes, second.others_bytes) == (None, None)
    assert driver.processes(second) is None


def test_ids_of_another_namespace_are_not_passed_on(opened: Callable[..., Driver]) -> None:
    """Where the kernel's ids outside are known, others are counted, but have no id here."""
    driver = opened(Library(Machine()), Identity(frozenset({os.getpid()}), same_namespace=False))
    first, second = devices(driver)
    assert first.others_bytes == 0
    (process,) = driver.processes(second) or []
    assert (process["pid"], process["bytes"]) == (None, 2 * GIB)


def test_without_a_driver_nothing_is_told(opened: Callable[..., Driver]) -> None:
    """No library, and a library that does not start, are no GPUs."""
    broken = OldLibrary(Library(Machine()), nvmlInit_v2=lambda: 9)
    assert devices(opened(None)) == ()
    assert devices(opened(broken)) == ()


@pytest.mark.parametrize(("files", "absent"), [(["null"], True), (["null", "nvidiactl"], False)])
def test_without_a_driver_and_devices_there_is_no_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: list[str], *, absent: bool
) -> None:
    """A library that is missing alone, as in some containers, says nothing about the GPU."""
    for file in files:
        (tmp_path / file).touch()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(nvml, "_DEVICES", tmp_path)
    monkeypatch.setattr(nvml_library, "load", lambda: None)
    driver = Driver()
    assert driver.shows_none() is False
    driver.open()
    assert driver.shows_none() is absent


def test_an_old_driver_tells_what_it_can(opened: Callable[..., Driver]) -> None:
    """Without the second version of memory the first is asked; without processes, nothing."""
    library = OldLibrary(
        Library(Machine()),
        (
            "nvmlDeviceGetMemoryInfo_v2",
            "nvmlDeviceGetMigMode",
            *(
                f"nvmlDeviceGet{kind}RunningProcesses{version}"
                for kind in ("Compute", "Graphics")
                for version in ("_v3", "_v2", "")
            ),
        ),
        nvmlDeviceGetMemoryInfo=gives(total=16 * GIB, free=10 * GIB),
    )
    first, _ = devices(opened(library))
    assert (first.free_bytes, first.others_bytes) == (10 * GIB, None)


@pytest.mark.parametrize("size", [24, 32])
def test_reads_process_entries_of_either_size(opened: Callable[..., Driver], size: int) -> None:
    """Drivers of one version name have entries of two sizes; a misread one is never shown."""

    def processes(_handle: Any, count: Any, buffer: Any) -> int:
        rows = [
            struct.pack("@IQII", pid, used, 2**32 - 1, 2**32 - 1).ljust(size, b"\0")
            for pid, used in ((101, GIB), (102, GIB // 2))
        ]
        count._obj.value = len(rows)
        buffer[: size * len(rows)] = b"".join(rows)
        return 0

    library = OldLibrary(Library(Machine()), nvmlDeviceGetComputeRunningProcesses_v3=processes)
    driver = opened(library)
    _, second = devices(driver)
    assert [process["bytes"] for process in driver.processes(second) or []] == [GIB, GIB // 2]


def test_entries_that_make_no_sense_are_hidden(opened: Callable[..., Driver]) -> None:
    """Entries of neither size are not shown as processes."""

    def processes(_handle: Any, count: Any, buffer: Any) -> int:
        count._obj.value = 3
        buffer[:64] = b"\xff" * 64
        return 0

    library = OldLibrary(
        Library(Machine(), "hidden"), nvmlDeviceGetComputeRunningProcesses_v3=processes
    )
    driver = opened(library)
    assert driver.processes(devices(driver)[1]) is None


def test_speaks_c(opened: Callable[..., Driver]) -> None:
    """Arguments and structures are those of the C interface: here it answers through pointers."""
    pointer, number, handle = ctypes.c_void_p, ctypes.c_uint, 0x7FFF_1234_5678

    def text(content: bytes) -> Callable[..., int]:
        def write(_handle: int, target: int, length: int) -> int:
            assert length > len(content)
            ctypes.memmove(target, content, len(content) + 1)
            return 0

        return write

    def put(content: bytes) -> Callable[[int], int]:
        def write(target: int) -> int:
            ctypes.memmove(target, content, len(content))
            return 0

        return write

    def memory(of: int, target: int) -> int:
        assert of == handle
        assert ctypes.c_uint.from_address(target).value == 40 | 2 << 24
        return put(struct.pack("@IQQQQ", 0, 16 * GIB, GIB, 5 * GIB, 10 * GIB))(target)

    def processes(_handle: int, count: int, target: int) -> int:
        assert ctypes.c_uint.from_address(count).value >= 1
        put(struct.pack("@I", 1))(count)
        return put(struct.pack("@IQII", 11, 3 * GIB, 0, 0))(target)

    def c(function: Callable[..., int], *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(function)

    library = SimpleNamespace(
        nvmlInit_v2=c(lambda: 0),
        nvmlDeviceGetCount_v2=c(put(struct.pack("@I", 1)), pointer),
        nvmlDeviceGetHandleByIndex_v2=c(
            lambda _index, target: put(struct.pack("@P", handle))(target), number, pointer
        ),
        nvmlDeviceGetUUID=c(text(b"GPU-cccc"), pointer, pointer, number),
        nvmlDeviceGetName=c(text(b"A GPU"), pointer, pointer, number),
        nvmlDeviceGetMemoryInfo_v2=c(memory, pointer, pointer),
        nvmlDeviceGetComputeRunningProcesses_v3=c(processes, pointer, pointer, pointer),
        nvmlSystemGetProcessName=c(
            text(b"/bin/train"),
            number,
            pointer,
            number,
        ),
    )
    driver = opened(library)
    (device,) = devices(driver)
    assert (device.uuid, device.name) == ("cccc", "A GPU")
    assert (device.capacity_bytes, device.free_bytes) == (15 * GIB, 5 * GIB)
    assert driver.processes(device) == [{"pid": 11, "name": "train", "bytes": 3 * GIB}]


def test_a_gpu_split_by_mig_shows_one_instance(opened: Callable[..., Driver]) -> None:
    """CUDA uses one instance, the first unless told otherwise, and no GPU beside it."""

    def instance(handle: Any, index: Any, target: Any) -> int:
        if handle.value != 1 or index.value > 1:
            return 6  # not found: places for instances that were not made
        target._obj.value = 100 + index.value
        return 0

    def uuid(handle: Any, buffer: Any, _length: Any) -> int:
        buffer.value = f"MIG-{handle.value}".encode()
        return 0

    def memory(handle: Any, target: Any) -> int:
        target._obj.total = 5 * GIB if handle.value >= 100 else 40 * GIB
        target._obj.free = 4 * GIB
        return 0

    library = OldLibrary(
        Library(Machine(), "unmeasured"),
        nvmlDeviceGetMigMode=gives(value=1),
        nvmlDeviceGetMaxMigDeviceCount=gives(value=7),
        nvmlDeviceGetMigDeviceHandleByIndex=instance,
        nvmlDeviceGetUUID=uuid,
        nvmlDeviceGetMemoryInfo_v2=memory,
        nvmlDeviceGetName=lambda *_: 0,
        nvmlDeviceGetComputeRunningProcesses_v3=lambda *_: 3,
        nvmlDeviceGetGraphicsRunningProcesses_v3=lambda *_: 3,
    )
    (device,) = devices(opened(library))
    assert (device.uuid, device.capacity_bytes, device.others_bytes) == ("MIG-100", 5 * GIB, None)


def test_counts_as_cuda_visible_devices_says(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GPUs are counted as CUDA will count them; once it has, a change has no effect."""
    driver = opened(Library(Machine()))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", f"GPU-{UUIDS[1]}")
    assert [(view.index, view.uuid) for view in driver.read(fixed=True)] == [(0, UUIDS[1])]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert [view.uuid for view in driver.read(fixed=True)] == [UUIDS[1]]
    assert driver.read(fixed=False) != ()
    assert driver.read(fixed=False) == ()


@pytest.mark.parametrize(
    ("setting", "outside", "power", "expected"),
    [
        ("0", 0, "active", ((16 * GIB, 1),)),
        ("0", 2 * GIB, "active", ()),
        ("0", 0, "suspended", ()),
        ("0,1", 0, "active", ()),
    ],
)
def test_finds_empty_gpus_that_are_hidden(  # noqa: PLR0913, PLR0917  a machine, and what it has
    opened: Callable[..., Driver],
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    outside: int,
    power: str,
    expected: object,
) -> None:
    """Not those of others, and none where a question might wake one."""
    machine = Machine()
    machine.gpus[1].outside = outside
    driver = opened(Library(machine))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", setting)
    driver.read(fixed=True)
    assert driver._power is not None
    monkeypatch.setattr(driver._power, "asleep", lambda **_: power == "suspended")
    assert driver.hidden() == expected


def test_two_models_without_a_uuid_are_a_doubt(opened: Callable[..., Driver]) -> None:
    """CUDA puts the fastest first: until a framework tells a UUID, a note says so."""
    machine = Machine()
    machine.gpus[1].name = "H100"
    notes = [item.notes for item in devices(opened(Library(machine)))]
    assert [[note["id"] for note in item] for item in notes] == [["note.mapping"]] * 2


def test_only_looks(opened: Callable[..., Driver]) -> None:
    """Nothing is asked that changes a GPU, and reading again asks for what changes only."""
    library = Library(Machine())
    driver = opened(library)
    driver.processes(devices(driver)[1])
    assert all(
        name.startswith(("nvmlDeviceGet", "nvmlSystemGet", "nvmlInit")) for name in library.calls
    )
    library.calls.clear()
    driver.read(fixed=False)
    assert dict(library.calls) == {"nvmlDeviceGetMemoryInfo_v2": 2}


def pci(folder: Path, vendor: str, kind: str, status: str) -> Path:
    """A device on the bus, as the kernel shows it; returns where its state stands."""
    (folder / "power").mkdir(parents=True)
    (folder / "vendor").write_text(vendor + "\n")
    (folder / "class").write_text(kind + "\n")
    state = folder / "power/runtime_status"
    state.write_text(status + "\n")
    return state


def test_never_wakes_a_sleeping_gpu(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A laptop's GPU that sleeps is not asked, neither at first nor later."""
    pci(tmp_path / "0", "0x8086", "0x030000", "active")
    pci(tmp_path / "1", "0x10de", "0x040300", "active")  # its sound
    state = pci(tmp_path / "2", "0x10de", "0x030200", "suspended")
    monkeypatch.setattr(nvml, "Power", lambda: Power(tmp_path))
    library = Library(Machine())
    driver = opened(library)
    assert driver.read(fixed=False) == ()
    assert library.calls.total() == 0
    state.write_text("active\n")
    driver.open()
    assert len(driver.read(fixed=False)) == 2
    state.write_text("suspended\n")
    library.calls.clear()
    assert driver.read(fixed=False) == ()
    assert driver.hidden() == ()
    assert library.calls.total() == 0


def test_says_nothing_in_a_forked_child(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Handles of the parent are never used by a child, nor is the library ended for it."""
    library = Library(Machine())
    driver = opened(library)
    device = devices(driver)[1]
    library.calls.clear()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert driver.read(fixed=False) == ()
    assert driver.processes(device) is None
    driver.open()
    driver.close()
    assert library.calls.total() == 0


class Locking:
    """A library that holds a lock while it is called, until `lets_go`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.is_called, self.lets_go = threading.Event(), threading.Event()

    def nvmlInit_v2(self) -> int:  # noqa: N802  NVML's name
        """Come and go as the real one does."""
        with self.lock:
            self.is_called.set()
            self.lets_go.wait(20)
        return 0


@pytest.mark.parametrize("held_s", [0.02, 20.0])
def test_who_forks_waits_for_a_call_for_a_moment(held_s: float) -> None:
    """PyTorch counts GPUs by the same library: a lock held at the fork hangs the child."""
    library = Locking()
    caller = threading.Thread(target=nvml_library.Nvml(library).start)
    caller.start()
    library.is_called.wait()
    timer = threading.Timer(held_s, library.lets_go.set)
    timer.start()
    if (child := os.fork()) == 0:
        os._exit(library.lock.locked())
    _, status = os.waitpid(child, 0)
    # One that hangs holds up no fork.
    assert os.waitstatus_to_exitcode(status) == (held_s == 20.0)
    timer.cancel()
    library.lets_go.set()
    for thread in (timer, caller):
        thread.join()
    assert nvml_library.Nvml(library).start()  # and the parent goes on


def proc(folder: Path, namespace: str, status: str) -> Path:
    """/proc as a process of some namespace sees it."""
    (folder / "self/ns").mkdir(parents=True)
    (folder / "self/ns/pid").symlink_to(namespace)
    (folder / "self/status").write_text(status)
    return folder


def test_identity_in_the_first_namespace(tmp_path: Path) -> None:
    """Outside of containers the driver's ids are ours."""
    ids = identity(proc(tmp_path, "pid:[4026531836]", "NSpid:\t77\n"))
    assert ids == Identity(frozenset({os.getpid()}), same_namespace=True)


def test_identity_with_the_outer_ids(tmp_path: Path) -> None:
    """Where the outer /proc is visible, all ids of this process are known."""
    ids = identity(proc(tmp_path, "pid:[4026532000]", "Name:\tpython\nNSpid:\t4711\t77\n"))
    assert ids == Identity(frozenset({4711, 77}), same_namespace=False)


def test_identity_in_a_container(tmp_path: Path) -> None:
    """A container's own /proc does not tell what the process is called outside."""
    assert identity(proc(tmp_path, "pid:[4026532000]", "NSpid:\t77\n")) is None
    assert identity(tmp_path / "nowhere") is None


def test_a_driver_of_windows_that_tells_is_believed(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TCC is Windows as well, where NVIDIA's driver manages the memory."""
    monkeypatch.setattr(system, "has_wddm", lambda: True)
    _, second = devices(opened(Library(Machine())))
    assert (second.others_bytes, second.notes) == (2 * GIB, ())


def test_a_driver_whose_gpus_are_hidden_shows_none(
    opened: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA_VISIBLE_DEVICES names no GPU that is here."""
    driver = opened(Library(Machine()))
    driver.read(fixed=False)
    assert driver.shows_none() is False
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    driver.read(fixed=False)
    assert driver.shows_none() is True


def test_more_free_than_there_is_is_not_measured(opened: Callable[..., Driver]) -> None:
    """A driver under WSL may say −1, which is 16 EiB."""
    memory = gives(total=16 * GIB, free=2**64 - 1)
    first, _ = devices(opened(OldLibrary(Library(Machine()), nvmlDeviceGetMemoryInfo_v2=memory)))
    assert (first.capacity_bytes, first.free_bytes, first.used_bytes) == (None, None, None)


def test_opens_once_and_lets_go(opened: Callable[..., Driver]) -> None:
    """The library counts its starts: each has its end."""
    library = Library(Machine())
    driver = opened(library)
    driver.open()
    driver.close()
    assert (library.calls["nvmlInit_v2"], library.calls["nvmlShutdown"]) == (1, 1)
    assert driver.read(fixed=False) == ()


def test_identity_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no namespaces of process ids."""
    monkeypatch.setattr(nvml, "os", SimpleNamespace(name="nt", getpid=lambda: 77))
    assert identity(tmp_path) == Identity(frozenset({77}), same_namespace=True)
