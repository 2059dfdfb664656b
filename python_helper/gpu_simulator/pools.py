"""Private pools: memory that is only for a captured graph, or for who asks for it by name.

`torch.cuda.CUDAGraph` and `torch.cuda.MemPool` have no C++ side in a build without CUDA. While a
graph is captured, operators run at once, as everything does here; a replay does nothing, since the
graph's results are where they were.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from .unsupported import not_simulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocks import PoolId
    from .card import Card
    from .machine import Machine
    from .patches import Patches

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Route:
    """Leads allocations to a pool: those on a stream that is captured, or those of a thread."""

    pool: PoolId
    stream: int | None = None
    thread: int | None = None

    def takes(self, stream: int) -> bool:
        """Whether an allocation of this thread on `stream` goes this way."""
        if self.thread is None:
            return stream == self.stream
        # Backward has a thread of its own on a card, which such a route does not reach.
        in_backward = torch._C._current_graph_task_id() != -1  # noqa: SLF001 -- no public name
        return threading.get_ident() == self.thread and not in_backward


def put_pools(patches: Patches, machine: Machine) -> None:
    """Let graphs be captured, and memory be taken from pools."""
    graph = type("CUDAGraph", (_Graph,), {"machine": machine, "__module__": "torch.cuda"})
    pool = type("MemPool", (_Pool,), {"machine": machine, "__module__": "torch.cuda"})
    for module in (torch.cuda, torch.cuda.graphs):
        patches.put(module, "CUDAGraph", graph)
    for module in (torch.cuda, torch.cuda.memory):
        patches.put(module, "MemPool", pool)
    patches.put(torch.cuda.graphs, "_graph_pool_handle", lambda: (0, next(_numbers)))
    patches.put(torch.cuda.graphs, "_cuda_isCurrentStreamCapturing", machine.is_capturing)
    patches.put(torch._C, "_cuda_isCurrentStreamCapturing", machine.is_capturing)  # noqa: SLF001 -- the seam itself
    patches.put(torch._C, "_host_emptyCache", lambda: None)  # noqa: SLF001 -- as above
    for name, function in _functions(machine).items():
        patches.put(torch.cuda.memory, name, function)


def _functions(machine: Machine) -> dict[str, Callable[..., None]]:
    def begin(ordinal: int, pool: PoolId) -> None:
        card = machine.card_at(ordinal)
        card.allocator.retain_pool(pool)
        card.routes.append(Route(pool, thread=threading.get_ident()))

    def end(ordinal: int, pool: PoolId) -> None:
        machine.card_at(ordinal).routes.remove(Route(pool, thread=threading.get_ident()))

    def release(ordinal: int, pool: PoolId) -> None:
        machine.card_at(ordinal).allocator.release_pool(pool)

    return {
        "_cuda_beginAllocateCurrentThreadToPool": begin,
        "_cuda_endAllocateToPool": end,
        "_cuda_releasePool": release,
    }


class _Graph:
    """Stands in for `torch.cuda.CUDAGraph`."""

    machine: Machine

    def __init__(self, keep_graph: bool = False) -> None:
        self._keeps = keep_graph
        self._pool: PoolId | None = None
        self._card: Card | None = None
        self._route: Route | None = None
        self._stream = 0
        self._random_state: list[torch.Tensor] = []

    def capture_begin(self, pool: PoolId | None = None, **_: Any) -> None:
        """Lead what is allocated on the current stream to the graph's pool, until the end."""
        card = self.machine.current
        stream = card.stream
        if stream == 0:
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, "
                "it's ok to replay them on the default stream.)"
            )
        self._card, self._pool = card, pool or (0, next(_numbers))
        # Seed and offset of random numbers are on the card, for a replay to find other ones.
        with torch.cuda.stream(torch.cuda.default_stream()):
            self._random_state = [torch.empty(1, dtype=torch.long, device="cuda") for _ in range(2)]
        self._stream = stream
        self._route = Route(self._pool, stream=stream)
        card.allocator.retain_pool(self._pool)
        card.routes.append(self._route)

    def capture_end(self) -> None:
        """Let allocations go their usual way again."""
        if self._card is not None and self._route is not None:
            self._card.routes.remove(self._route)
            self._route = None

    def reset(self) -> None:
        """Let go of the pool: what is free in it may be returned to the card."""
        if self._card is not None and self._pool is not None:
            self._card.blas.clear(self._stream)
            self._card.allocator.release_pool(self._pool)
        self._card = None
        self._random_state.clear()

    __del__ = reset

    def pool(self) -> PoolId | None:
        """Return what other graphs may be captured with to share the memory."""
        return self._pool

    def replay(self) -> None:
        """Do nothing: without kernels there is nothing that would change."""

    def instantiate(self) -> None:
        """Do nothing."""

    def enable_debug_mode(self) -> None:
        """Do nothing."""


class _Pool:
    """Stands in for `torch.cuda.MemPool`."""

    machine: Machine
    allocator = None
    _card: Card | None = None

    def __init__(self, allocator: Any = None, use_on_oom: bool = False, **_: Any) -> None:
        if allocator is not None:
            raise not_simulated("memory pools with an allocator of their own")
        if use_on_oom:
            raise not_simulated("memory pools for the last resort")
        self.id = (next(_numbers), 0)
        torch.cuda.init()
        self._card = self.machine.current
        self._card.allocator.retain_pool(self.id)

    def use_count(self) -> int:
        """Return how many use the pool, its maker included."""
        return 0 if self._card is None else self._card.allocator.users_of(self.id)

    def snapshot(self, include_traces: bool = True) -> Any:
        """Return the pool's segments."""
        del include_traces
        snapshot = torch.cuda.memory_snapshot()
        return [each for each in snapshot if each["segment_pool_id"] == self.id]

    def __del__(self) -> None:
        if self._card is not None:
            self._card.allocator.abandon_pool(self.id)
