"""Sizes as people write them and as PyTorch prints them."""

from __future__ import annotations

import pytest
from gpu_simulator.sizes import GIB, MIB, format_size, parse_size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4 GiB", 4 * GIB),
        ("4GiB", 4 * GIB),
        (" 1.5 gib ", GIB * 3 // 2),
        ("420 MiB", 420 * MIB),
        ("8GB", 8 * GIB),
        ("512", 512),
        ("512 B", 512),
        (123456, 123456),
        (0, 0),
    ],
)
def test_sizes_are_read_as_people_write_them(text: int | str, expected: int) -> None:
    """A size may be bytes or a number with a unit of powers of two."""
    assert parse_size(text, name="capacity") == expected


@pytest.mark.parametrize(
    "text", ["", "GiB", "-4 GiB", "4 GiBi", "4 TiB", "1e9", "four", "4 GiB,cpu"]
)
def test_text_that_is_no_size_is_refused_in_one_sentence(text: str) -> None:
    """A text that is no size raises ValueError that names the argument and quotes the text."""
    with pytest.raises(ValueError, match=r'^capacity must be a size such as "4 GiB", not .*\.$'):
        parse_size(text, name="capacity")


@pytest.mark.parametrize("value", [None, 1.5, True, b"4 GiB"])
def test_values_that_are_no_size_are_refused(value: object) -> None:
    """Anything but an integer or text raises TypeError."""
    with pytest.raises(TypeError, match="outside must be bytes or text"):
        parse_size(value, name="outside")  # type: ignore[arg-type]  # what a caller may do wrong


def test_a_negative_number_is_refused() -> None:
    """A negative size raises ValueError."""
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        parse_size(-1, name="capacity")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (512, "512 bytes"),
        (2048, "2.00 KiB"),
        (20 * MIB, "20.00 MiB"),
        (1024 * MIB, "1024.00 MiB"),
        (GIB + 1, "1.00 GiB"),
        (GIB * 5 // 2, "2.50 GiB"),
    ],
)
def test_sizes_are_printed_as_pytorch_prints_them(size: int, text: str) -> None:
    """Two decimals, and the next unit only above 1024 of the one before."""
    assert format_size(size) == text
