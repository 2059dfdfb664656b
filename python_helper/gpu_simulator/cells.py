"""Rewrite of notebook cells in which `int(x)` and `float(x)` keep unknown numbers unknown.

Python returns a plain number from both, whatever the argument, so the source is changed first.
"""

from __future__ import annotations

import ast
import builtins
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from . import unknown
from .tracebacks import line_of_person

if TYPE_CHECKING:
    from .machine import Machine
    from .patches import Patches

_IS_UNKNOWN, _MAKE = "__simulated_gpu_is_unknown__", "__simulated_gpu_number__"
_WRITTEN = f"(lambda value: {_MAKE}(KIND, value) if {_IS_UNKNOWN}(value) else KIND(value))()"
"""Replacement of `int(x)`: its errors are raised in the cell's own code."""


def put_cells(patches: Patches, machine: Machine) -> None:
    """Rewrite the cells that run from now on, if IPython is loaded."""
    module: Any = sys.modules.get("IPython.core.interactiveshell")
    if module is None:
        return
    transform = module.InteractiveShell.transform_ast
    patches.put(builtins, _IS_UNKNOWN, partial(_is_unknown, machine))
    patches.put(builtins, _MAKE, _number)
    patches.put(
        module.InteractiveShell,
        "transform_ast",
        lambda shell, node: PlainNumbers().visit(transform(shell, node)),
    )


def _is_unknown(machine: Machine, value: Any) -> bool:
    return type(value) in unknown.KINDS or machine.is_unknown(value)


def _number(kind: Any, value: Any) -> Any:
    """Return `kind(value)` as an unknown number, like `value`."""
    if kind is int and type(value) is unknown.UnknownInt:
        return value
    line = value.origin.line if type(value) in unknown.KINDS else line_of_person()
    return unknown.made_of(kind(value), unknown.ReadAt(line, object()))


class PlainNumbers(ast.NodeTransformer):
    """Transformer that has `int(x)` and `float(x)` check first whether `x` is known."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace a call of `int` or `float` with one argument."""
        self.generic_visit(node)
        kind, given = node.func, node.args
        if not isinstance(kind, ast.Name) or kind.id not in ("int", "float"):
            return node
        if len(given) != 1 or node.keywords or isinstance(given[0], ast.Starred):
            return node
        written: Any = ast.parse(_WRITTEN.replace("KIND", kind.id), mode="eval").body
        for part in ast.walk(written):
            ast.copy_location(part, node)
        written.args = given
        made: ast.AST = written
        return made
