"""Sizes as people write them and as PyTorch prints them."""

from __future__ import annotations

import pytest
from gpu_simulator.sizes import GIB, MIB, parse_size


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
