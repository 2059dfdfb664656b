"""The observer: what it keeps of a failure, and that it harms nothing."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frameworks.torch import observer as observing
from gpu_headroom.frameworks.torch import private
from gpu_headroom.frameworks.torch.observer import Observer
from gpu_headroom.text.format import GIB, MIB
from gpu_simulator import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Attach = Callable[[object], bool]


class Allocator:
    """The part of `torch._C` that the observer meets; `snapshot_args` are those it accepts."""

    def __init__(self, *snapshot_args: object) -> None:
        self.observers: list[Callable[[int, int, int, int], None]] = []
        self.asked: list[tuple[object, ...]] = []
        self._accepted = snapshot_args

    def _cuda_attach_out_of_memory_observer(
        self, observer: Callable[[int, int, int, int], None]
    ) -> None:
        self.observers.append(observer)

    def _cuda_memoryStats(self, device: int) -> dict[str, object]:  # noqa: N802  PyTorch's name
        return {"device": device}

    def _cuda_memorySnapshot(self, *args: object) -> dict[str, object]:  # noqa: N802  PyTorch's name
        self.asked.append(args)
        if args != self._accepted:
            raise TypeError("another signature")
        return {
            "segments": [
                segment(0, [("inactive", 5), ("active_allocated", 50), ("inactive", 7)]),
                segment(1, [("inactive", 100)]),
                {**segment(0, [("inactive", 90)]), "segment_pool_id": (0, 3)},
            ]
        }

    def fail(self) -> None:
        """Run out of memory."""
        for observer in self.observers:
            observer(0, 2 * MIB, 8 * GIB, MIB)


def segment(device: int, blocks: list[tuple[str, int]]) -> dict[str, object]:
    """Make a segment of a snapshot."""
    return {
        "device": device,
        "blocks": [{"state": state, "size": size} for state, size in blocks],
    }


@pytest.fixture
def observer() -> Iterator[Observer]:
    """An observer that is detached afterwards."""
    observer = Observer()
    yield observer
    observer.detach()


@pytest.fixture
def attach(observer: Observer, monkeypatch: pytest.MonkeyPatch) -> Attach:
    """Attaches the observer to an allocator in place of PyTorch's own."""

    def attach_to(allocator: object) -> bool:
        monkeypatch.setattr(private, "_calls", lambda: allocator)
        return observer.attach()

    return attach_to


def test_keeps_the_last_failure_until_it_is_taken(observer: Observer, attach: Attach) -> None:
    """Device, capacity, free and the allocator's own numbers are kept once."""
    allocator = Allocator((0, 0, False))
    assert attach(allocator)
    allocator.fail()
    capture = observer.take()
    assert capture is not None
    assert capture.device_index == 0
    assert (capture.capacity_bytes, capture.free_bytes) == (8 * GIB, MIB)
    assert capture.stats == {"device": 0}
    assert observer.take() is None


@pytest.mark.parametrize(
    ("version", "gpus", "attached"),
    [("2.3.1", 2, False), ("2.1.0+cu121", 2, False), ("2.3.1", 1, True), ("2.4.0", 2, True)],
)
def test_stays_away_where_it_would_change_an_error(
    attach: Attach, monkeypatch: pytest.MonkeyPatch, version: str, gpus: int, *, attached: bool
) -> None:
    """PyTorch 2.1 to 2.3 loses it on the way to a second GPU, where memory errors then change."""
    allocator = Allocator()
    allocator._cuda_getDeviceCount = lambda: gpus  # type: ignore[attr-defined]
    monkeypatch.setattr("torch.__version__", version)
    assert attach(allocator) is attached


def test_finds_the_largest_free_block_of_the_shared_pool(
    observer: Observer, attach: Attach
) -> None:
    """Other devices and private pools are no help to an ordinary request."""
    allocator = Allocator((0, 0, False))
    attach(allocator)
    allocator.fail()
    capture = observer.take()
    assert capture is not None
    assert capture.largest_block_bytes == 7


def test_snapshots_take_a_hundredth_of_the_time_at_most(
    observer: Observer, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that probes with errors pays little; a second failure has evidence of its own."""
    now_s = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now_s[0], time=lambda: now_s[0])
    monkeypatch.setattr(observing, "time", clock)

    class Slow(Allocator):
        def _cuda_memorySnapshot(self, *args: object) -> dict[str, object]:  # noqa: N802  PyTorch's name
            now_s[0] += 0.25
            return super()._cuda_memorySnapshot(*args)

    def largest_after(rest_s: float) -> int | None:
        now_s[0] += rest_s
        allocator.fail()
        capture = observer.take()
        assert capture is not None
        return capture.largest_block_bytes

    allocator = Slow((0, 0, False))
    attach(allocator)
    assert [largest_after(pause_s) for pause_s in (0, 1, 20, 5)] == [7, None, None, 7]
    assert len(allocator.asked) == 2


def test_attaches_once_per_allocator(observer: Observer, attach: Attach) -> None:
    """An observer cannot be detached: a second one would stay for ever."""
    allocator = Allocator()
    attach(allocator)
    attach(allocator)
    second = Observer()
    second.attach()
    assert len(allocator.observers) == 1
    allocator.fail()
    assert observer.take() is None
    assert second.take() is not None
    second.detach()


def test_never_raises_into_the_allocator(
    observer: Observer, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an observer raises would replace the user's error, so nothing comes out of it."""
    allocator = Allocator()
    attach(allocator)

    def broken() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(observing, "_threads", broken)
    allocator.fail()
    assert observer.take() is None


@pytest.mark.parametrize("torch_c", [object(), "refusing"])
def test_does_without_an_observer(attach: Attach, torch_c: object) -> None:
    """Old versions have none, and other backends refuse one."""

    class Refusing(Allocator):
        def _cuda_attach_out_of_memory_observer(self, _: object) -> None:
            raise RuntimeError("cudaMallocAsync does not support an observer")

    assert not attach(Refusing() if torch_c == "refusing" else torch_c)


class Marker:
    """Something whose end can be seen."""


def test_keeps_lines_and_no_frames(observer: Observer, attach: Attach) -> None:
    """The capture tells where each thread was, and keeps none of their variables alive."""
    allocator = Allocator()
    attach(allocator)
    alive: list[weakref.ref[Marker]] = []

    def work() -> None:
        local = Marker()
        alive.append(weakref.ref(local))
        allocator.fail()

    work()
    gc.collect()
    assert alive[0]() is None
    capture = observer.take()
    assert capture is not None
    functions = [function for _, lines in capture.threads for _, _, function in lines]
    assert "work" in functions
    assert all(isinstance(line, int) for _, lines in capture.threads for _, line, _ in lines)


def test_sees_what_the_simulated_allocator_sees(observer: Observer) -> None:
    """On a simulated GPU the capture equals PyTorch's own numbers of that moment."""
    import torch

    with simulate("4 GiB"):
        tensor = torch.empty(GIB, dtype=torch.uint8, device="cuda")
        assert observer.attach()
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(8 * GIB, dtype=torch.uint8, device="cuda")
        capture: Any = observer.take()
        assert capture.capacity_bytes == 4 * GIB
        assert capture.free_bytes == torch.cuda.mem_get_info()[0]
        assert capture.stats["allocated_bytes"]["all"]["current"] == tensor.nbytes
        assert capture.stats["num_ooms"] == 1
        del tensor


@pytest.mark.parametrize("signature", [((0, 0, False),), (None,), ()])
def test_asks_for_a_snapshot_in_every_signature(
    observer: Observer, attach: Attach, signature: tuple[object, ...]
) -> None:
    """Without traces where PyTorch can leave them out, else as older versions want it."""
    allocator = Allocator(*signature)
    attach(allocator)
    allocator.fail()
    assert allocator.asked[0] == ((0, 0, False),)
    capture = observer.take()
    assert capture is not None
    assert capture.largest_block_bytes is not None


def test_does_not_observe_itself(attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure inside the observer ends there."""
    allocator = Allocator()
    attach(allocator)
    calls = []

    def fails_again() -> tuple[()]:
        calls.append(1)
        allocator.fail()
        return ()

    monkeypatch.setattr(observing, "_threads", fails_again)
    allocator.fail()
    assert calls == [1]


def test_falls_silent_when_detached(observer: Observer, attach: Attach) -> None:
    """The trampoline stays behind and does nothing."""
    allocator = Allocator()
    attach(allocator)
    observer.detach()
    allocator.fail()
    assert observer.take() is None
