"""The source of a cell as Python reads it."""

from __future__ import annotations

import ast
import re
import warnings

_MAGIC = re.compile(r"^(\s*)([%!].*)$", re.MULTILINE)
_CELL_MAGIC = re.compile(r"(?<!\S)%(?=%\w)")


def parse_cell(source: str) -> ast.Module | None:
    """Parse a cell, magics and shell commands blanked out in their lines; `None` if it does not."""
    plain = _MAGIC.sub(lambda magic: f"{magic[1]}pass", _CELL_MAGIC.sub("#", source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler has warned of this cell when it ran
            return ast.parse(plain)
    except (SyntaxError, ValueError, RecursionError):
        return None


def magics(source: str) -> list[str]:
    """Return the magics and shell commands of a cell, a line each."""
    return [found[2] for found in _MAGIC.finditer(source)]
