"""What classes of the helper are called."""

from __future__ import annotations

import ast
from collections import Counter

from tests.live import SOURCES


def test_no_two_classes_share_a_name() -> None:
    """Who reads one of them in a file knows which it is."""
    names = Counter(
        node.name
        for path in SOURCES.glob("gpu_*/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert len(names) > 200
    assert [name for name, count in names.items() if count > 1] == []
