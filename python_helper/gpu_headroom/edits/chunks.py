"""One huge call in parts, where the result allows it, or of shapes that nobody meant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted
from ..code.source import Refused
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.source import CellSource
    from .rewrite import Anchor

# What is left of each row of distances, where it is asked for along the last dimension.
_OF_ROWS = {"argmin", "argmax", "sum", "mean", "any", "all", "amin", "amax"}
_PAIRS = ("cdist", "pairwise_distance", "matmul", "mm")


@rewriting
def predicted_in_parts(
    source: CellSource, anchor: Anchor, model: str, rows: int, torch: str = "torch"
) -> None:
    """`predicted_in_parts(anchor, model, rows, torch)`: `model(x)` goes over `x` in parts.

    `y = model(x)` becomes `y = torch.cat([model(part) for part in x.split(rows)])`. For rows that
    do not know of each other: in evaluation mode, without gradients; else nothing is saved.
    """
    statement = statement_at(source, anchor)
    found = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and dotted(node.func) == model
    ]
    if len(found) != 1 or len(found[0].args) != 1 or found[0].keywords:
        raise Refused
    given = found[0].args[0]
    if not dotted(given) or dotted(given) == "part":
        raise Refused
    if any(isinstance(each, (ast.ListComp, ast.GeneratorExp)) for each in ast.walk(statement)):
        raise Refused
    parts = f"{source.text_of(given)}.split({rows})"
    source.replace(found[0], f"{torch}.cat([{model}(part) for part in {parts}])")


@rewriting
def compared_in_parts(source: CellSource, anchor: Anchor, rows: int, torch: str = "torch") -> None:
    """`compared_in_parts(anchor, rows, torch)`: all pairs, of so many rows at a time.

    `torch.cdist(a, b).argmin(dim=1)` becomes
    `torch.cat([torch.cdist(part, b).argmin(dim=1) for part in a.split(rows)])`; also for
    `torch.argmin(torch.cdist(a, b), dim=1)`, other reductions of rows, and `(a @ b)`.
    """
    statement = statement_at(source, anchor)
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or called(node) not in _OF_ROWS:
            continue
        function = node.func
        inner = function.value if isinstance(function, ast.Attribute) else None
        given = list(node.args)
        if dotted(inner) == torch and given:
            inner = given.pop(0)
        along = [*given, *[each.value for each in node.keywords if each.arg in ("dim", "axis")]]
        rows_only = len(along) == 1 and source.text_of(along[0]) in ("1", "-1")
        first = _first_of_pair(inner)
        if not rows_only or first is None or len(given) + len(node.keywords) != 1:
            continue
        if not dotted(first) or dotted(first) == "part":
            continue
        start, end = source.span(node)
        at, stop = source.span(first)
        text = f"{source.text[start:at]}part{source.text[stop:end]}"
        parts = f"{source.text_of(first)}.split({rows})"
        source.replace(node, f"{torch}.cat([{text} for part in {parts}])")
        return
    raise Refused


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


def _first_of_pair(node: ast.expr | None) -> ast.expr | None:
    if isinstance(node, ast.Call) and called(node) in _PAIRS and len(node.args) > 1:
        return node.args[0]
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    return node.left if is_product and isinstance(node, ast.BinOp) else None
