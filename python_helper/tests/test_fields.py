"""No record of the helper's has a field that is never read."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.live import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

# These travel whole: `wire.py` says what they are.
TRAVEL = {"FrameworkReading", "HostReading", "Outcome"}


def _modules() -> Iterator[ast.Module]:
    for path in sorted(SOURCES.glob("gpu_*/**/*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def _fields(module: ast.Module) -> Iterator[tuple[str, str]]:
    for kind in ast.walk(module):
        if isinstance(kind, ast.ClassDef) and any(
            "dataclass" in ast.unparse(node) for node in kind.decorator_list
        ):
            for node in kind.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    yield kind.name, node.target.id


def test_every_field_is_read() -> None:
    """Or taken out: what is kept beside a failure and never read is kept in vain."""
    modules = list(_modules())
    attributes = {
        node.attr
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    fields = [field for module in modules for field in _fields(module)]
    assert len(fields) > 100
    assert [
        f"{kind}.{name}" for kind, name in fields if kind not in TRAVEL if name not in attributes
    ] == []
