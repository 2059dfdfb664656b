"""cuBLAS: who has a handle, and which workspace each handle takes from PyTorch's allocator.

The rules are those of `aten/src/ATen/cuda/CublasHandlePool.cpp`, before PyTorch 2.15.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocks import Block

WORKSPACE_BYTES = 8_519_680
"""cuBLAS's default workspace, `:4096:2:16:8` KiB, on GPUs before Hopper; cuBLASLt shares it."""


class Handles:
    """The handles of one GPU, and their workspaces: one for each handle and stream.

    A thread keeps its handle until it ends, then another thread may have it. All backward passes
    run on one thread of their own, which PyTorch has for each GPU.
    """

    def __init__(self, malloc: Callable[[int], Block], free: Callable[[Block], None]) -> None:
        self._malloc = malloc
        self._free = free
        self._workspaces: dict[tuple[int, int], Block] = {}
        self._returned: list[int] = []
        self._made = 0
        self._backward: int | None = None
        self._thread = threading.local()

    def use(self, stream: int) -> None:
        """Take the workspace for a call on `stream` from this thread, unless it is there."""
        key = self._handle(), stream
        if key not in self._workspaces:
            self._workspaces[key] = self._malloc(WORKSPACE_BYTES)

    def clear(self, stream: int | None = None) -> None:
        """Free the workspaces, of one stream or of all; the handles stay."""
        for key in list(self._workspaces):
            if stream in (None, key[1]) and (block := self._workspaces.pop(key, None)):
                self._free(block)

    def _handle(self) -> int:
        if torch._C._current_graph_task_id() != -1:  # noqa: SLF001 -- no public name
            if self._backward is None:
                self._backward = self._reserve()
            return self._backward
        loan: _Loan | None = getattr(self._thread, "loan", None)
        if loan is None:
            loan = self._thread.loan = _Loan(self._reserve(), self._returned)
        return loan.handle

    def _reserve(self) -> int:
        if self._returned:
            return self._returned.pop()
        self._made += 1
        return self._made


class _Loan:
    """A handle that goes back when its thread ends, and with it what the thread keeps."""

    def __init__(self, handle: int, returned: list[int]) -> None:
        self.handle = handle
        self._returned = returned

    def __del__(self) -> None:
        self._returned.append(self.handle)
