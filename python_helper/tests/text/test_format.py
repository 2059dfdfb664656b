"""Sizes as people read them."""

from __future__ import annotations

import pytest
from gpu_headroom.text.format import GIB, KIB, MIB, format_bytes, format_compared


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 MiB"),
        (1, "1 bytes"),
        (KIB, "1 KiB"),
        (MIB - 1, "1024 KiB"),
        (95 * MIB, "95 MiB"),
        (95 * MIB + MIB // 2, "96 MiB"),
        (GIB // 10, "102 MiB"),
        (GIB // 10 + 1, "0.1 GiB"),
        (GIB // 4, "0.3 GiB"),
        (GIB + GIB // 4, "1.3 GiB"),
        (12 * GIB + 205 * MIB, "12.2 GiB"),
        (-(5 * GIB), "\N{MINUS SIGN}5.0 GiB"),
        (-(5 * MIB), "\N{MINUS SIGN}5 MiB"),
    ],
)
def test_rounds_half_up_in_the_largest_fitting_unit(size: int, text: str) -> None:
    """GiB has one decimal, smaller units none; halves go up, as in the browser."""
    assert format_bytes(size) == text


def test_compared_sizes_have_two_decimals_below_ten_gib() -> None:
    """Two sizes that stand beside each other can be told apart."""
    assert format_compared(2 * GIB, 727 * MIB) == ("2.00 GiB", "0.71 GiB")


def test_compared_sizes_are_in_mib_where_one_is_small_and_none_is_large() -> None:
    """A small size beside one below a GiB is read in the same unit."""
    assert format_compared(128 * MIB, 42 * MIB) == ("128 MiB", "42 MiB")
    assert format_compared(-128 * MIB, 12 * KIB) == ("\N{MINUS SIGN}128 MiB", "12 KiB")
    assert format_compared(2 * GIB, 42 * MIB) == ("2.00 GiB", "42 MiB")


def test_compared_sizes_that_differ_look_different() -> None:
    """A request must not seem to be as large as what was available."""
    assert format_compared(1610 * MIB, 1608 * MIB) == ("1610 MiB", "1608 MiB")
    assert format_compared(12 * GIB + 2 * MIB, 12 * GIB) == ("12290 MiB", "12288 MiB")
    assert format_compared(16 * MIB, 15 * MIB + 768 * KIB) == ("16.00 MiB", "15.75 MiB")
    assert format_compared(GIB + 512, GIB) == ("1073742336 bytes", "1073741824 bytes")
    assert format_compared(GIB, GIB) == ("1.00 GiB", "1.00 GiB")
