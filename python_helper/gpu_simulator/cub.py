"""How CUB, the library of CUDA's sorts, scans and selections, lays out a kernel's own buffer."""

from __future__ import annotations

_ALIGNED = 256


def together(*sizes: int) -> int:
    """Return the bytes of one buffer with parts of `sizes`, each aligned, wherever it starts."""
    return sum(-(-size // _ALIGNED) * _ALIGNED for size in sizes) + _ALIGNED - 1


def selection_buffer(items: int, tile: int) -> int:
    """Return the bytes that a selection of `items` takes, of which a block looks at `tile`."""
    return together((32 + -(-items // tile)) * 8, 1)
