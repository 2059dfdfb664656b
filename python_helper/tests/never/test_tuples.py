"""The helper never shows other threads a tuple that is not finished.

One that is built from an iterator is known to the garbage collector while it grows, and cannot be
finished once anybody else refers to it (bpo-15108): neighbours list all objects, as we do.
"""

from __future__ import annotations

import ast

from tests.live import SOURCES

ITERATORS = {"chain", "filter", "from_iterable", "islice", "map", "reversed", "zip"}


def _grows(value: ast.expr) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    name = getattr(function, "attr", getattr(function, "id", None))
    return isinstance(value, ast.GeneratorExp) or name in ITERATORS


def test_never_builds_a_tuple_from_an_iterator() -> None:
    """Tuples are made of lists, wherever that may run."""
    calls = [
        f"{path.name}:{node.lineno}"
        for path in sorted((SOURCES / "gpu_headroom").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "tuple"
        if any(_grows(argument) for argument in node.args)
    ]
    assert calls == []
