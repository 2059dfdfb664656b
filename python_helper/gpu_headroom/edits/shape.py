"""Shapes that nobody meant: a column beside a row."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .rewrite import rewriting, statement_at
from .source import Refused

if TYPE_CHECKING:
    from .rewrite import Anchor
    from .source import CellSource


@rewriting
def squeezed(source: CellSource, anchor: Anchor, column: str, row: str) -> None:
    """`squeezed(anchor, column, row)`: `column - row` becomes `column.squeeze(-1) - row`.

    Also where both are given to one call, as to a loss. Names only, and but once in the statement.
    """
    found = []
    for node in ast.walk(statement_at(source, anchor)):
        given: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            given = [node.left, node.right]
        elif isinstance(node, ast.Call):
            given = [*node.args, *[each.value for each in node.keywords]]
        named = {each.id: each for each in given if isinstance(each, ast.Name)}
        if column in named and row in named:
            found.append(named[column])
    if len(found) != 1:
        raise Refused
    source.replace(found[0], f"{column}.squeeze(-1)")
