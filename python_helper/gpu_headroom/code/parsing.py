"""The source of a cell as Python reads it."""

from __future__ import annotations

import ast
import re

from .quiet import quiet

LONGEST = 200_000  # characters of a cell that is looked through
_MAGIC = re.compile(r"^([^\S\n]*)([%!].*)$", re.MULTILINE)
_CELL_MAGIC = re.compile(r"(?<!\S)%(?=%\w)")


def parse_cell(source: str) -> ast.Module | None:
    """Parse a cell, magics and shell commands blanked out in their lines; `None` if it does not.

    Touches no warnings, and gives no cause for any: what cannot be read without one is not read.
    """
    if len(source) > LONGEST:
        return None
    plain = _MAGIC.sub(lambda magic: f"{magic[1]}pass", _CELL_MAGIC.sub("#", source))
    try:
        code, mark = quiet(plain)
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last: nested too deeply
        return None
    if mark:
        _restore(tree, mark)
    return tree


def _restore(tree: ast.Module, mark: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.replace(mark, "\\")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            node.value = node.value.replace(mark.encode(), b"\\")


def magics(source: str) -> list[str]:
    """Return the magics and shell commands of a cell, a line each."""
    return [found[2] for found in _MAGIC.finditer(source)]
