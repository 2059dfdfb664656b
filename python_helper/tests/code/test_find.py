"""Small questions to a tree."""

from __future__ import annotations

import ast

import pytest
from gpu_headroom.code.find import path_of


@pytest.mark.parametrize(
    ("expression", "of_text", "of_any"),
    [
        ("size", ("size",), ("size",)),
        ('config.train["size"]', ("config", "train", "size"), ("config", "train", "size")),
        ("sizes[0]", (), ("sizes", "0")),
        ("sizes[at.place]", (), ()),
        ("make().size", (), ()),
    ],
)
def test_path_of_a_setting(
    expression: str, of_text: tuple[str, ...], of_any: tuple[str, ...]
) -> None:
    """A loader's batch may be an entry of a list, which no assignment names as a setting."""
    node = ast.parse(expression, mode="eval").body
    assert path_of(node) == of_text
    assert path_of(node, object) == of_any
