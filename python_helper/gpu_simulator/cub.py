"""How CUB, the library of CUDA's sorts, scans and selections, lays out a kernel's own buffer."""

from __future__ import annotations

import torch

_ALIGNED = 256


def together(*sizes: int) -> int:
    """Return the bytes of one buffer with parts of `sizes`, each aligned, wherever it starts."""
    return sum(-(-size // _ALIGNED) * _ALIGNED for size in sizes) + _ALIGNED - 1


def selection_buffer(items: int, tile: int) -> int:
    """Return the bytes that a selection of `items` takes, of which a block looks at `tile`."""
    return together((32 + -(-items // tile)) * 8, 1)


def scan_buffer(items: int, dtype: torch.dtype) -> int:
    """Return the bytes that a scan of one row takes, of numbers of a type.

    What a block has found by then stands in one word beside its state where C++ has the type, else
    in two of three arrays. Blocks of 128 threads look at a few elements each (`dispatch_scan.cuh`
    and `single_pass_scan_operators.cuh`).
    """
    size = dtype.itemsize
    a_thread = max(1, min(60 // size, 30))
    blocks = 32 + -(-items // (128 * a_thread))
    is_word = not dtype.is_complex and dtype not in {torch.float16, torch.bfloat16}
    parts = [blocks * max(4, 2 * size)] if is_word else [blocks * 4, blocks * size, blocks * size]
    return together(together(*parts))
