"""Reading PyTorch's allocator, on a stand-in for the parts of PyTorch that are read."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frameworks.torch.cuda import TorchCuda
from gpu_headroom.readings.merge import merge

if TYPE_CHECKING:
    from gpu_headroom.readings.snapshot import DeviceReading


class FakeTorch(ModuleType):
    """PyTorch with two CUDA devices, of which the first has a context."""

    def __init__(self) -> None:
        super().__init__("torch")
        self.stats: dict[str, Any] = {
            "allocated_bytes": {"all": {"current": 600, "peak": 900}},
            "reserved_bytes": {"all": {"current": 1000, "peak": 1000}},
            "num_alloc_retries": 2,
            "num_ooms": 1,
        }
        self.fraction = 1.0
        self.memory: tuple[int, int] | None = (5000, 10000)
        self.integrated = 0
        self.named = 0
        self.version = SimpleNamespace(cuda="12.9", hip=None)
        self._C = SimpleNamespace(
            _cuda_getDeviceCount=lambda: 2,
            _cuda_hasPrimaryContext=lambda index: index == 0,
            _cuda_memoryStats=lambda _index: self.stats,
            _cuda_getMemoryFraction=lambda _index: self.fraction,
        )
        self.cuda = ModuleType("torch.cuda")
        vars(self.cuda).update(
            is_initialized=lambda: True,
            mem_get_info=self._mem_get_info,
            get_device_properties=self._properties,
        )

    def _mem_get_info(self, _index: int) -> tuple[int, int]:
        if self.memory is None:
            raise RuntimeError("CUDA error: unknown error")
        return self.memory

    def _properties(self, _index: int) -> object:
        self.named += 1
        return SimpleNamespace(
            name="NVIDIA T4", uuid="d2c9-1", total_memory=10000, is_integrated=self.integrated
        )


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    """PyTorch as if imported and initialised."""
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake)
    monkeypatch.setitem(sys.modules, "torch.cuda", fake.cuda)
    monkeypatch.delitem(sys.modules, "gpu_simulator.simulation", raising=False)
    return fake


def read() -> DeviceReading:
    """The only device, where the driver's library says nothing."""
    (device,) = merge(TorchCuda().read(), ())
    return device


def test_a_driver_that_refuses_leaves_its_figures_unknown(torch: FakeTorch) -> None:
    """Free and outside are then not measured; the capacity is known from the device."""
    torch.memory = None
    device = read()
    assert (device.free_bytes, device.outside_bytes, device.used_bytes) == (None, None, None)
    assert device.headroom_bytes is None
    assert (device.capacity_bytes, device.in_use_bytes) == (10000, 600)


def test_outside_is_never_below_nothing(torch: FakeTorch) -> None:
    """Driver and allocator are read one after the other: the difference may be a little off."""
    torch.memory = (9500, 10000)
    assert read().outside_bytes == 0


def test_a_fraction_limits_capacity_and_headroom(torch: FakeTorch) -> None:
    """Free memory beyond the process's share is none that it could get."""
    torch.fraction = 0.2
    device = read()
    assert (device.capacity_bytes, device.capacity_limited) == (2000, True)
    assert device.headroom_bytes == 1400


def test_a_gpu_that_shares_the_hosts_memory_says_so(torch: FakeTorch) -> None:
    """Unified memory is known from the properties of the device."""
    assert read().shared_with_host is False
    torch.integrated = 1
    assert read().shared_with_host is True


def test_rocm_answers_to_the_same_names(torch: FakeTorch) -> None:
    """PyTorch for AMD GPUs says so in its version; nothing else differs. Declared, not run."""
    torch.version = SimpleNamespace(cuda=None, hip="6.4")
    assert TorchCuda().state() == "live"
    assert read().backend == "rocm"


def test_old_versions_without_some_calls(torch: FakeTorch) -> None:
    """Before PyTorch 2.4 a device in use is known by its allocator, and there is no uuid."""
    del torch._C._cuda_hasPrimaryContext, torch._C._cuda_getMemoryFraction
    assert [view.index for view in TorchCuda().read()] == [0, 1]
    torch.stats = {}
    assert TorchCuda().read() == ()


def test_missing_figures_are_unknown(torch: FakeTorch) -> None:
    """A statistic that this PyTorch does not have is null, not 0."""
    torch.stats = {"allocated_bytes": {"all": {"current": 600}}}
    device = read()
    (framework,) = device.frameworks
    assert framework.cached_bytes is None
    assert framework.peak_in_use_bytes is None
    assert framework.ooms is None
    assert device.outside_bytes is None


def test_states(torch: FakeTorch, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of PyTorch before and without a GPU, from flags alone."""
    source = TorchCuda()
    assert source.state() == "live"
    vars(torch.cuda)["is_initialized"] = lambda: False
    assert source.state() == "not_initialised"
    torch.version = SimpleNamespace(cuda=None, hip=None)
    assert source.state() == "no_gpu"
    torch.__spec__ = SimpleNamespace(_initializing=True)  # type: ignore[assignment]  # all of a spec that is asked for
    assert source.state() == "no_framework"
    monkeypatch.delitem(sys.modules, "torch")
    assert source.state() == "no_framework"
