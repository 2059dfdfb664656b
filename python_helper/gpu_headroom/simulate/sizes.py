"""Sizes as people write them ("4 GiB") and as PyTorch prints them ("4.00 GiB")."""

from __future__ import annotations

import re

KIB = 2**10
MIB = 2**20
GIB = 2**30

_UNITS = {"": 1, "B": 1, "KIB": KIB, "MIB": MIB, "GIB": GIB, "KB": KIB, "MB": MIB, "GB": GIB}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMG]i?B|B|)\s*", re.IGNORECASE)


def parse_size(size: int | str, *, name: str) -> int:
    """Return `size` in bytes: an integer, or text such as "4 GiB", "4GiB" or "420 MiB".

    KB, MB and GB count as powers of two, as PyTorch and `nvidia-smi` count them. `name` says in
    the error what the size is for. Raises `TypeError` or `ValueError` with one sentence.
    """
    if isinstance(size, bool) or not isinstance(size, (int, str)):
        raise TypeError(f'{name} must be bytes or text such as "4 GiB", not {size!r}.')
    if isinstance(size, str):
        match = _SIZE.fullmatch(size)
        if match is None:
            raise ValueError(f'{name} must be a size such as "4 GiB", not {size!r}.')
        return int(float(match[1]) * _UNITS[match[2].upper()])
    if size < 0:
        raise ValueError(f"{name} must not be negative, got {size}.")
    return size


def format_size(size: int) -> str:
    """Return `size` bytes as PyTorch's allocator prints it (`format_size` in c10)."""
    if size <= KIB:
        return f"{size} bytes"
    for unit, symbol in ((KIB, "KiB"), (MIB, "MiB")):
        if size <= unit * 1024:
            return f"{size / unit:.2f} {symbol}"
    return f"{size / GIB:.2f} GiB"
