"""The other frameworks, by the shape of what is read: stand-ins, as no GPU runs them here.

That the real ones are left alone is shown in `never/test_frameworks.py`.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frameworks.cupy import reading as cupy
from gpu_headroom.frameworks.jax import reading as jax
from gpu_headroom.frameworks.tensorflow import reading as tensorflow
from gpu_headroom.frameworks.torch import mps as torch_mps
from gpu_headroom.frameworks.torch import xpu as torch_xpu
from gpu_headroom.frameworks.view import View
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.sources import Sources

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable

    Imported = Callable[..., ModuleType]

GIB = 2**30
NVML = "nvmlDeviceGetMemoryInfo"
T4 = View(0, name="T4", total_bytes=16 * GIB, free_bytes=3 * GIB, gpu_source=NVML)


@pytest.fixture(autouse=True)
def _defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        "XLA_PYTHON_CLIENT_ALLOCATOR",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "TF_GPU_ALLOCATOR",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Imported:
    """Put a module where imported modules are, with these attributes."""

    def put(name: str, **attributes: Any) -> ModuleType:
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put


# --- JAX ------------------------------------------------------------------------


def jax_device(stats: dict[str, int] | None) -> Any:
    """A GPU of JAX."""
    return SimpleNamespace(
        memory_stats=lambda: stats,
        local_hardware_id=0,
        id=0,
        device_kind="Tesla T4",
        client=SimpleNamespace(platform_version="PJRT C API\ncuda 12090"),
    )


@pytest.fixture
def jax_with(imported: Imported) -> Callable[..., jax.Jax]:
    """JAX that has started one GPU with these statistics."""

    def start(stats: dict[str, int] | None) -> jax.Jax:
        imported("jax")
        backend = SimpleNamespace(local_devices=lambda: [jax_device(stats)])
        imported("jax._src.xla_bridge", _backends={"cpu": object(), "cuda": backend})
        return jax.Jax()

    return start


def test_jax_has_started_when_it_has_a_backend(imported: Imported) -> None:
    """The table of backends says whether JAX has started, and with what."""
    source = jax.Jax()
    assert source.state() == "no_framework"
    imported("jax")
    bridge = imported("jax._src.xla_bridge", _backends={})
    assert source.state() == "not_initialised"
    vars(bridge)["_backends"] = {"cpu": object()}
    assert source.state() == "no_gpu"
    vars(bridge)["_backends"] = {"cpu": object(), "cuda": object()}
    assert source.state() == "live"


def test_jax_pool_taken_at_start_is_no_alarm(jax_with: Callable[..., jax.Jax]) -> None:
    """The pool is cached, said to be there on purpose, and outside stays what others use."""
    stats = {
        "bytes_in_use": GIB,
        "peak_bytes_in_use": 2 * GIB,
        "bytes_limit": 12 * GIB,
        "pool_bytes": 12 * GIB,
    }
    source = jax_with(stats)
    assert source.state() == "live"
    (device,) = merge(source.read(), [T4])
    (framework,) = device.frameworks
    assert (framework.preallocated, framework.cached_bytes) == (True, 11 * GIB)
    assert device.outside_bytes == GIB
    assert (device.capacity_bytes, device.headroom_bytes) == (12 * GIB, 11 * GIB)
    assert (device.capacity_source, device.free_source) == ("memory_stats()", NVML)
    assert device.notes[0]["text"].startswith("JAX took a pool of 12.0 GiB when it started")


# --- TensorFlow -------------------------------------------------------------------

GPU = "/device:GPU:0"


class FakeTensorFlow:
    """TensorFlow's runtime with one GPU that may use 10 GiB."""

    def __init__(self, imported: Imported) -> None:
        self.asked: list[str] = []
        self.memory = {"current": GIB, "peak": 2 * GIB}
        self.context = SimpleNamespace(
            _initialized=True,
            _context_handle="handle",
            _logical_devices=[
                SimpleNamespace(name="/device:CPU:0", device_type="CPU"),
                SimpleNamespace(name=GPU, device_type="GPU"),
            ],
            _memory_growth_map={},
        )
        imported("tensorflow")
        self.module = imported("tensorflow.python.eager.context", _context=self.context)
        imported(
            "tensorflow.python.pywrap_tfe",
            TFE_GetMemoryInfo=self._memory_info,
            TFE_ContextListDevices=lambda _handle: ["CPU:0", "GPU:0"],
            TF_DeviceListCount=len,
            TF_DeviceListName=lambda devices, index: (
                f"/job:localhost/replica:0/task:0/device:{devices[index]}"
            ),
            TF_DeleteDeviceList=lambda _devices: self.asked.append("deleted"),
        )
        imported(
            "tensorflow.python.client.pywrap_tf_session",
            TF_DeviceListMemoryBytes=lambda _devices, index: (0, 10 * GIB)[index],
        )

    def _memory_info(self, _handle: str, name: str) -> dict[str, int]:
        self.asked.append(name)
        return self.memory


def test_tensorflow_has_started_when_its_context_says_so(imported: Imported) -> None:
    """The context is looked at, never asked for."""
    fake, source = FakeTensorFlow(imported), tensorflow.TensorFlow()
    assert source.state() == "live"
    fake.context._logical_devices = []
    assert source.state() == "no_gpu"
    fake.context._initialized = False
    assert source.state() == "not_initialised"
    vars(fake.module)["_context"] = None
    assert source.state() == "not_initialised"
    assert fake.asked == []


def test_tensorflow_pool_is_cached_and_noted(imported: Imported) -> None:
    """With the first tensor it takes all it may: what is not in use of that is cached."""
    fake = FakeTensorFlow(imported)
    source = tensorflow.TensorFlow()
    (device,) = merge(source.read(), [T4])
    (framework,) = device.frameworks
    assert (framework.preallocated, framework.cached_bytes) == (True, 9 * GIB)
    assert (device.outside_bytes, device.capacity_bytes) == (3 * GIB, 10 * GIB)
    assert (device.capacity_source, device.free_source) == ("TF_DeviceListMemoryBytes", NVML)
    assert framework.source == "get_memory_info()"
    assert [note["id"] for note in device.notes] == ["note.preallocated"]
    source.read()
    assert fake.asked == ["deleted", "GPU:0", "GPU:0"]


def test_tensorflow_that_grows_hides_its_pool(imported: Imported) -> None:
    """What it keeps beyond its tensors is then not told, so outside is not measured."""
    fake = FakeTensorFlow(imported)
    fake.context._memory_growth_map = {"physical": True}
    (device,) = merge(tensorflow.TensorFlow().read(), [T4])
    assert device.frameworks[0].cached_bytes is None
    assert (device.outside_bytes, device.notes) == (None, ())


# --- CuPy and the driver API ------------------------------------------------------


class FakeCuda:
    """The driver API of a machine with two devices; only the second has a context."""

    def __init__(self, *, initialised: bool = True) -> None:
        self.initialised = initialised
        self.calls: list[str] = []

    def cuDevicePrimaryCtxGetState(  # noqa: N802  the API's name
        self, device: ctypes.c_int, _flags: Any, active: Any
    ) -> int:
        """Answer as the API does."""
        self.calls.append("state")
        if not self.initialised:
            return 3
        active._obj.value = int(device.value == 1)
        return 0 if device.value < 2 else 101


def test_contexts_are_looked_up_and_never_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the driver API in this process, or before it is started, there are none."""
    monkeypatch.setattr(cupy, "_driver_api", lambda: None)
    assert cupy.contexts() == frozenset()
    monkeypatch.setattr(cupy, "_driver_api", FakeCuda)
    assert cupy.contexts() == {1}
    monkeypatch.setattr(cupy, "_driver_api", lambda: FakeCuda(initialised=False))
    assert cupy.contexts() == frozenset()


class FakeCuPy:
    """CuPy on a machine of two devices, of which the current one of the thread can be chosen."""

    def __init__(self, imported: Imported, monkeypatch: pytest.MonkeyPatch) -> None:
        self.current = 1
        self.used, self.total = {0: 0, 1: 100}, {0: 0, 1: 400}
        runtime = SimpleNamespace(getDevice=lambda: self.current, is_hip=False)
        cuda = imported("cupy.cuda", runtime=runtime)
        pool = SimpleNamespace(
            used_bytes=lambda: self.used[self.current],
            total_bytes=lambda: self.total[self.current],
        )
        imported("cupy", cuda=cuda, get_default_memory_pool=lambda: pool)
        self.contexts = frozenset({1})
        monkeypatch.setattr(cupy, "contexts", lambda: self.contexts)


def test_cupy_is_read_where_it_has_a_context(
    imported: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool of the thread's current device; nothing is asked of a device without a context."""
    fake, source = FakeCuPy(imported, monkeypatch), cupy.CuPy()
    fake.contexts = frozenset()
    assert source.state() == "not_initialised"
    fake.contexts = frozenset({1})
    assert source.state() == "live"
    (view,) = source.read()
    assert view.framework is not None
    assert (view.index, view.framework.in_use_bytes, view.framework.cached_bytes) == (1, 100, 300)
    assert view.framework.source == "get_default_memory_pool()"


# --- PyTorch on other hardware ----------------------------------------------------


def test_torch_xpu_has_the_shape_of_cuda(imported: Imported) -> None:
    """The same statistics under other names; a device that was never used is left out."""
    stats = {
        "allocated_bytes": {"all": {"current": 5, "peak": 6}},
        "reserved_bytes": {"all": {"current": 9}},
    }
    up: list[bool] = [False]
    properties = SimpleNamespace(name="Arc", uuid="xx", total_memory=100)
    xpu = imported(
        "torch.xpu",
        is_initialized=lambda: up[0],
        device_count=lambda: 2,
        get_device_properties=lambda _index: properties,
    )
    inside = SimpleNamespace(_xpu_memoryStats=lambda index: stats if index == 1 else {})
    imported("torch", xpu=xpu, _C=inside)
    source = torch_xpu.TorchXpu()
    assert source.state() == "not_initialised"
    up[0] = True
    assert source.state() == "live"
    (device,) = merge(source.read(), [])
    assert (device.backend, device.index, device.in_use_bytes, device.cached_bytes) == (
        "xpu",
        1,
        5,
        4,
    )
    assert (device.capacity_bytes, device.free_bytes, device.outside_bytes) == (100, None, None)
    assert (device.capacity_source, device.free_source) == ("get_device_properties()", "")


def test_torch_mps_is_asked_only_once_it_was_used(imported: Imported) -> None:
    """Its calls would start Metal; a PyTorch that cannot say whether it was used is not asked."""
    mps = imported(
        "torch.mps",
        current_allocated_memory=lambda: 5,
        driver_allocated_memory=lambda: 9,
        recommended_max_memory=lambda: 100,
    )
    inside = SimpleNamespace(_has_mps=True)
    imported("torch", mps=mps, _C=inside)
    source = torch_mps.TorchMps()
    assert source.state() == "not_initialised"
    inside._accelerator_isAllocatorInitialized = lambda: True
    assert source.state() == "live"
    (device,) = merge(source.read(), [])
    assert (device.backend, device.in_use_bytes, device.cached_bytes) == ("mps", 5, 4)
    assert device.shared_with_host is True
    assert (device.capacity_source, device.free_source) == ("recommended_max_memory()", "")
    assert device.frameworks[0].source == "torch.mps"
    inside._has_mps = False
    assert source.state() == "no_gpu"


# --- All together -----------------------------------------------------------------


def test_a_source_that_fails_is_left_out(imported: Imported) -> None:
    """A framework of an unknown version ends nothing but its own reading, and is said once."""
    failures: list[str] = []
    imported("jax")
    imported("jax._src.xla_bridge", _backends={"cuda": object()})
    sources = Sources(lambda part, error: failures.append(f"{part}: {error}"))
    sources.include_all()
    for _ in range(2):
        assert sources.read().devices == ()
    assert failures == ["jax: 'object' object has no attribute 'local_devices'"]


def test_a_source_that_failed_is_asked_again_later(
    imported: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a minute, then two: what was amiss may have passed, and a kernel lives for days."""
    failures: list[str] = []
    clock_s = [1000.0]
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(time, "monotonic", lambda: clock_s[0])
    imported("jax")
    bridge: Any = imported("jax._src.xla_bridge", _backends={"cuda": object()})
    sources = Sources(lambda part, _error: failures.append(part))
    sources.include_all()
    for passed_s, count in ((0.0, 1), (59.0, 1), (2.0, 2), (60.0, 2), (60.0, 3)):
        clock_s[0] += passed_s
        sources.read()
        assert len(failures) == count, passed_s
    bridge._backends = {"cpu": object()}
    assert sources.read().state == "no_framework"
    clock_s[0] += 240.0
    assert sources.read().state == "no_gpu"


def test_other_frameworks_wait_until_they_are_included(
    imported: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first reading imports nothing: it is of PyTorch alone."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    imported("jax")
    sources = Sources(lambda _part, error: pytest.fail(str(error)))
    before = sources.read()
    assert (before.state, before.devices, before.host) == ("no_framework", (), None)
    imported("jax._src.xla_bridge", _backends={"cpu": object()})
    sources.include_all()
    reading = sources.read()
    assert (reading.state, reading.devices) == ("no_gpu", ())
    assert reading.host is not None
