"""Several frameworks and a driver, side by side per device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frameworks.view import FrameworkReading, View
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.snapshot import HostReading
from gpu_headroom.text.messages import message

if TYPE_CHECKING:
    from gpu_headroom.protocol.generated.wire import FrameworkName

A, B = "aaaa-1", "bbbb-2"
NOTE = message("note.mapping", index=0)


def view(
    index: int, name: FrameworkName, in_use: int, cached: int | None, uuid: str | None = None
) -> View:
    """What a framework sees of a device."""
    framework = FrameworkReading(name, in_use, cached, None, None, None)
    return View(index, uuid=uuid, framework=framework)


def gpu(index: int, uuid: str | None, free: int | None = 4000, **more: Any) -> View:
    """What the driver sees of a device of 10000 bytes."""
    return View(index, uuid=uuid, total_bytes=10000, free_bytes=free, **more)


def test_outside_is_what_no_framework_explains() -> None:
    """Of 6000 used bytes two frameworks reserve 3500."""
    views = [view(0, "torch", 1000, 500), view(0, "jax", 800, 1200)]
    (device,) = merge(views, [gpu(0, A)])
    assert [framework.name for framework in device.frameworks] == ["torch", "jax"]
    assert device.outside_bytes == 6000 - 1500 - 2000
    assert (device.in_use_bytes, device.cached_bytes) == (1800, 1700)
    assert device.used_bytes == 2500 + 1800
    assert device.headroom_bytes == 4000 + 1700


def test_outside_is_unknown_where_one_pool_is() -> None:
    """A framework that does not tell its pool hides what is outside."""
    (device,) = merge([view(0, "torch", 1, 0), view(0, "tensorflow", 5, None)], [gpu(0, A)])
    assert device.outside_bytes is None
    assert device.used_bytes is None


def test_matches_by_uuid_rather_than_by_order() -> None:
    """CUDA may count the fastest device first while the driver counts by the bus."""
    first, second = merge(
        [view(0, "torch", 10, 0, uuid=B)], [gpu(0, f"GPU-{A}", 9000), gpu(1, f"GPU-{B}", 1000)]
    )
    assert (first.index, first.uuid, first.free_bytes) == (0, B, 1000)
    assert (second.index, second.free_bytes, second.frameworks) == (1, 9000, ())


def test_matches_by_order_where_a_framework_has_no_uuid() -> None:
    """JAX and TensorFlow tell an ordinal only."""
    first, second = merge([view(1, "jax", 10, 0)], [gpu(0, A, 9000), gpu(1, B, 1000)])
    assert (first.index, first.frameworks) == (0, ())
    assert (second.free_bytes, second.in_use_bytes) == (1000, 10)


def test_a_mig_instance_is_found_by_order_too() -> None:
    """A framework may know it by the UUID of the whole GPU; one GPU must not become two."""
    (device,) = merge([view(0, "torch", 10, 0, uuid=A)], [gpu(0, f"MIG-{B}")])
    assert (device.in_use_bytes, device.free_bytes) == (10, 4000)


def test_says_that_the_order_is_uncertain_only_where_it_is() -> None:
    """A UUID settles which device is which."""
    doubtful = gpu(0, A, notes=(NOTE,))
    (torch,) = merge([view(0, "torch", 1, 0, uuid=A)], [doubtful])
    (jax,) = merge([view(0, "jax", 1, 0)], [doubtful])
    (idle,) = merge([], [doubtful])
    assert (torch.notes, jax.notes, idle.notes) == ((), (NOTE,), (NOTE,))


def test_a_framework_without_a_driver_is_a_device() -> None:
    """Where no library answers, the framework's own call is asked, and only there."""
    calls: list[int] = []

    def ask_gpu() -> tuple[int, int]:
        calls.append(1)
        return 5000, 10000

    framework = FrameworkReading("torch", 600, 400, None, None, None)
    own = View(0, framework=framework, ask_gpu=ask_gpu)
    (device,) = merge([own], [])
    assert (device.free_bytes, device.capacity_bytes, device.outside_bytes) == (5000, 10000, 4000)
    assert device.free_source == device.capacity_source == "cudaMemGetInfo"
    merge([own], [gpu(0, None)])
    assert calls == [1]


@pytest.mark.parametrize("free", [-1, 10001, 2**64 - 1])
def test_numbers_that_cannot_be_true_are_not_measured(free: int) -> None:
    """More free than there is, as some drivers under WSL and Windows say."""
    (device,) = merge([view(0, "torch", 1, 0)], [gpu(0, A, free)])
    assert (device.free_bytes, device.outside_bytes, device.headroom_bytes) == (None, None, None)
    assert device.capacity_bytes == 10000


def test_a_limit_binds_one_framework_only() -> None:
    """A device that two frameworks share has no limit of its own."""
    framework = FrameworkReading("jax", 1000, 500, None, None, None)
    limited = View(0, limit_bytes=7500, framework=framework)
    (alone,) = merge([limited], [gpu(0, A)])
    (shared,) = merge([limited, view(0, "torch", 1, 0)], [gpu(0, A)])
    assert (alone.capacity_bytes, alone.capacity_limited) == (7500, True)
    assert (shared.capacity_bytes, shared.capacity_limited) == (10000, False)


def test_free_is_the_hosts_where_memory_is_shared() -> None:
    """With unified memory the page cache is not lost, though the driver counts it as used.

    What a container may use does not bind the GPU.
    """
    shared = gpu(0, A, 100, shared_with_host=True)
    (device,) = merge([], [shared], HostReading(1, 20, 30, 0, 7000, 12000))
    assert (device.shared_with_host, device.free_bytes, device.outside_bytes) == (True, 7000, 3000)
    (unknown,) = merge([], [shared], HostReading(1, None, None))
    assert unknown.free_bytes == 100


def test_more_than_the_gpu_has_is_said() -> None:
    """WDDM keeps in host memory what does not fit: the parts stay as they are, the rest is 0."""
    (device,) = merge([view(0, "torch", 11500, 500)], [gpu(0, A, 0)])
    assert [note["params"] for note in device.notes] == [
        {"total_bytes": 10000, "excess_bytes": 2000}
    ]
    assert (device.outside_bytes, device.used_bytes, device.headroom_bytes) == (0, 11500, 0)
    shared = gpu(0, A, 0, shared_with_host=True)
    for gpus, most in (([shared], 12000), ([gpu(0, A, 0)], 9500)):
        (device,) = merge([view(0, "torch", most, 500)], gpus)
        assert device.notes == ()


def test_others_are_never_more_than_outside() -> None:
    """The process list is read less often than the totals."""
    (device,) = merge([view(0, "torch", 3000, 2000)], [gpu(0, A, others_bytes=5000)])
    assert (device.outside_bytes, device.others_bytes) == (1000, 1000)
