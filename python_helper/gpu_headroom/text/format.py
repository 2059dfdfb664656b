"""Sizes for display. All sizes are integer bytes; GiB, MiB and KiB are powers of two."""

from __future__ import annotations

from typing import Any

KIB = 2**10
MIB = 2**20
GIB = 2**30

MINUS = "\N{MINUS SIGN}"
_TEN_GIB = 10 * GIB


def format_error(error: BaseException) -> str:
    """Return an error as "ValueError: its message"."""
    return f"{type(error).__name__}: {error}"


def sendable(value: Any) -> Any:
    """Return a message that can be encoded: names in user code may have lone surrogates."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {sendable(key): sendable(entry) for key, entry in value.items()}
    return [sendable(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def format_bytes(size: int, *, decimals: int = 1) -> str:
    """Return `size` bytes as "11.2 GiB"; below 0.1 GiB as "95 MiB", below 1 MiB as "12 KiB".

    `decimals` counts for GiB only. A negative size carries the minus sign U+2212.
    """
    sign = MINUS if size < 0 else ""
    size = abs(size)
    if size == 0:
        return "0 MiB"
    if size * 10 >= GIB:
        return f"{sign}{_decimal(size, GIB, decimals)} GiB"
    if size >= MIB:
        return f"{sign}{_decimal(size, MIB, 0)} MiB"
    if size >= KIB:
        return f"{sign}{_decimal(size, KIB, 0)} KiB"
    return f"{sign}{size} bytes"


def format_compared(*sizes: int) -> tuple[str, ...]:
    """Return sizes that are shown together: with two decimals where all are below 10 GiB.

    All are in MiB where one is below 0.1 GiB and none reaches 1 GiB, and where two sizes that
    differ would look the same; then with two decimals, and in bytes where they still do.
    """
    decimals = 2 if all(abs(size) < _TEN_GIB for size in sizes) else 1
    shown = tuple([format_bytes(size, decimals=decimals) for size in sizes])
    is_small = all(abs(size) < GIB for size in sizes)
    if is_small and any(abs(size) * 10 < GIB for size in sizes):
        shown = tuple([_in_mib(size) for size in sizes])
    if _are_distinct(sizes, shown):
        return shown
    for decimals in (0, 2):
        shown = tuple([_in_mib(size, decimals) for size in sizes])
        if _are_distinct(sizes, shown):
            return shown
    return tuple([f"{MINUS if size < 0 else ''}{abs(size)} bytes" for size in sizes])


def _are_distinct(sizes: tuple[int, ...], shown: tuple[str, ...]) -> bool:
    return len(set(shown)) == len(set(sizes))


def _in_mib(size: int, decimals: int = 0) -> str:
    if not decimals and abs(size) * 10 < GIB:
        return format_bytes(size)
    return f"{MINUS if size < 0 else ''}{_decimal(abs(size), MIB, decimals)} MiB"


def _decimal(size: int, unit: int, decimals: int) -> str:
    """Round half up, as JavaScript's `toFixed` does in the front end."""
    scale = 10**decimals
    scaled = (2 * size * scale + unit) // (2 * unit)
    integer, fraction = divmod(scaled, scale)
    return f"{integer}.{fraction:0{decimals}d}" if decimals else str(integer)
