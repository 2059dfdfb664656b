"""Sizes as people write them ("4 GiB") and as PyTorch prints them ("4.00 GiB")."""

from __future__ import annotations

import re
from typing import Any

KIB = 2**10
MIB = 2**20
GIB = 2**30

_TIMES = re.compile(r"(.+)\*\s*([1-9]\d?)\s*")
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


def parse_capacities(capacity: Any, devices: Any) -> list[int]:
    """Return the capacity of each GPU in bytes.

    `capacity` is one size for all `devices`, a list of sizes, or text such as "16GiB*2", which
    says how many there are. Raises `TypeError` or `ValueError` with one sentence.
    """
    if isinstance(devices, bool) or not isinstance(devices, int) or devices < 1:
        raise ValueError(f"devices must be a number from 1 on, not {devices!r}.")
    times = _TIMES.fullmatch(capacity) if isinstance(capacity, str) else None
    if times is None and not isinstance(capacity, (list, tuple)):
        return [parse_size(capacity, name="capacity")] * devices
    if devices != 1:
        raise ValueError(f"capacity is {capacity!r}, so devices={devices} must be left out.")
    if times is not None:
        return [parse_size(times[1], name="capacity")] * int(times[2])
    if not capacity:
        raise ValueError("capacity is an empty list: it must have a size for each GPU.")
    return [parse_size(each, name="capacity") for each in capacity]


def format_size(size: int) -> str:
    """Return `size` bytes as PyTorch's allocator prints it (`format_size` in c10)."""
    if size <= KIB:
        return f"{size} bytes"
    for unit, symbol in ((KIB, "KiB"), (MIB, "MiB")):
        if size <= unit * 1024:
            return f"{size / unit:.2f} {symbol}"
    return f"{size / GIB:.2f} GiB"
