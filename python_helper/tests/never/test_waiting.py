"""The helper never waits for what a suspended thread may hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from tests.live import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

WAITING = {"Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier"}
# `threads` is where the limits are.
FILES = [
    path
    for path in sorted((SOURCES / "gpu_headroom").rglob("*.py"))
    if path.name not in {"threads.py", "testing.py"}
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_never_waits_without_a_limit(path: Path) -> None:
    """Locks come from `threads`, where each wait has an end; no thread is joined without one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names}
            assert getattr(node, "module", None) != "queue", ast.unparse(node)
            assert "queue" not in names, ast.unparse(node)
            if getattr(node, "module", None) == "threading":
                assert not names & WAITING, ast.unparse(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_primitive = node.value.id == "threading" and node.attr in WAITING
            assert not is_primitive, ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            joins_a_thread = node.func.attr == "join" and not node.args and not node.keywords
            assert not joins_a_thread, ast.unparse(node)
