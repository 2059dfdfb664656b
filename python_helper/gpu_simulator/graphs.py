"""Captured graphs: `torch.cuda.CUDAGraph` has no C++ side in a build without CUDA.

While a graph is captured, operators run at once, as everything does here, and take memory of the
stream that it is captured on; a replay does nothing, since the graph's results are where they were.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .gpu import SimGpu
    from .machine import Machine
    from .patches import Patches

_numbers = itertools.count(1)


def put_graphs(patches: Patches, machine: Machine) -> None:
    """Patch PyTorch so that CUDA graphs can be captured."""
    graph = type("CUDAGraph", (_Graph,), {"machine": machine, "__module__": "torch.cuda"})
    for module in (torch.cuda, torch.cuda.graphs):
        patches.put(module, "CUDAGraph", graph)
    patches.put(torch.cuda.graphs, "_graph_pool_handle", lambda: (0, next(_numbers)))
    for module in (torch.cuda.graphs, torch._C):  # noqa: SLF001 -- the seam itself
        patches.put(module, "_cuda_isCurrentStreamCapturing", lambda: machine.current.is_capturing)
    patches.put(torch._C, "_host_emptyCache", lambda: None)  # noqa: SLF001 -- as above


class _Graph:
    """Replacement of `torch.cuda.CUDAGraph`."""

    machine: Machine

    def __init__(self, keep_graph: bool = False) -> None:
        del keep_graph  # there is none
        self._pool: tuple[int, int] | None = None
        self._gpu: SimGpu | None = None
        self._stream = 0

    def capture_begin(self, pool: tuple[int, int] | None = None, **_: Any) -> None:
        """Begin on the current stream."""
        gpu = self.machine.current
        if gpu.stream == 0:
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, "
                "it's ok to replay them on the default stream.)"
            )
        self._gpu, self._stream, self._pool = gpu, gpu.stream, pool or (0, next(_numbers))
        gpu.captured.add(self._stream)

    def capture_end(self) -> None:
        """End."""
        if self._gpu is not None:
            self._gpu.captured.discard(self._stream)

    def reset(self) -> None:
        """Free the workspaces of the graph's stream."""
        if self._gpu is not None:
            self._gpu.blas.clear(self._stream)
        self._gpu = None

    __del__ = reset

    def pool(self) -> tuple[int, int] | None:
        """Return what other graphs may be captured with to share the memory."""
        return self._pool

    def replay(self) -> None:
        """Do nothing: without kernels there is nothing that would change."""

    def instantiate(self) -> None:
        """Do nothing."""
