"""A column beside a row makes all pairs, which a loss does not mean: both in one shape."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import called, dotted, given_to
from ..code.flow import leaves
from ..code.notebook import CodePlace
from ..code.source import Refused
from .chunks import is_called_once
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {
    "same_shape.meant": (
        "No button: {cell}, line {line} makes a column of `{name}`, so all pairs may be meant."
    ),
}
_LOSS = re.compile(r"loss(?:_fn|_function)?$|^criterion$|^mse$|^mae$|^l1$|^huber$", re.IGNORECASE)
_REDUCES = ("mean", "sum")
_COLUMN = re.compile(r"unsqueeze\(|None\]|newaxis\]|reshape\(|view\(|expand")


def squeezed(anchor: Anchor, column: str, row: str) -> Rewrite:
    """`squeezed(anchor, column, row)`: `column - row` becomes `column.squeeze(-1) - row`.

    Also where both are given to a loss. Names only, each but once in the statement, whose table is
    no more than averaged or summed there.
    """
    return _squeezed(anchor, column, row).asking(
        partial(is_called_once, anchor=anchor), partial(_is_no_table, column=column)
    )


@rewriting
def _squeezed(source: CellSource, anchor: Anchor, column: str, row: str) -> None:
    statement = statement_at(source, anchor)
    named = [child for child in ast.walk(statement) if isinstance(child, ast.Name)]
    if [sum(name_node.id == name for name_node in named) for name in (column, row)] != [1, 1]:
        raise Refused
    for node in ast.walk(statement):
        given: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and _is_reduced(source, node):
            given = [node.left, node.right]
        elif isinstance(node, ast.Call) and _LOSS.search(called(node)):
            given = given_to(node)
        pair = {
            expression.id: expression for expression in given if isinstance(expression, ast.Name)
        }
        if column in pair and row in pair:
            source.replace(pair[column], f"{column}.squeeze(-1)")
            return
    raise Refused


def _is_reduced(source: CellSource, node: ast.AST) -> bool:
    """Whether a mean or a sum over all is taken of it."""
    return any(
        called(child) in _REDUCES
        and isinstance(child, ast.Call)
        and not child.args + child.keywords
        for child in source.parents(node)
    )


def _is_no_table(gate: Gate, _: CellCode, *, column: str) -> Message | None:
    """Whether nothing makes the column on purpose."""
    for other, node in gate.notebook.nodes():
        if not isinstance(node, ast.Assign) or not _COLUMN.search(ast.unparse(node.value)):
            continue
        given = [one for expression in node.targets for one in leaves(expression)]
        if column in map(dotted, given):
            return CodePlace.of(other, node).says("same_shape.meant", TEXTS, name=column)
    return None
