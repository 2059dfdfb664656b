"""Each part of a sum of losses goes backward by itself, not all of them at the end."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, calls, dotted, mentions, method, names
from ..code.flow import backwards, read_first
from ..code.source import Loop, Refused
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..code.source import CellSource

_STEPS = ("step", "zero_grad", "backward", "append", "extend")
_PART = "part"


@rewriting
def backward_each(source: CellSource, total: str, graphs: Collection[str] = ()) -> None:
    """`backward_each("loss")`: in place of `loss += f(x)` and one `loss.backward()` at the end.

    `part = f(x)`, `part.backward()`, `loss += part.detach()` in each round, as gradients add up;
    `zero_grad()` goes before the loop. `graphs` are names that hold graphs already. Refused where
    rounds have a graph in common: then it would be gone after the first of them.
    """
    adding = [node for node in ast.walk(source.tree) if _part_of(node, total) is not None]
    if len(adding) != 1 or _PART in names(source.tree) | names(source.tree, ast.Store):
        raise Refused
    (statement,) = adding
    part = _part_of(statement, total)
    if part is None or not isinstance(statement, ast.stmt):
        raise Refused
    loop = source.loop(statement)
    top = next(each for each in loop.body if statement in ast.walk(each))
    if top is not statement and not (isinstance(top, ast.With) and statement in top.body):
        raise Refused
    if list(calls(loop, *_STEPS)) or _shares(loop, total, graphs):
        raise Refused
    block = source.body(loop)
    behind = block[block.index(loop) + 1 :]
    back = next((each for each in behind if backwards(each)), None)
    whole = ast.walk(source.function(loop))
    found = [each for each in whole if isinstance(each, ast.Expr) and backwards(each)]
    if back is None or len(found) != 1 or not _is_linear(_what(back), total):
        raise Refused
    between = behind[: behind.index(back)]
    clears = [each for each in between if called(getattr(each, "value", None)) == "zero_grad"]
    if any(_changes(each, total) for each in between if each not in clears):
        raise Refused
    place = next(node for node in ast.walk(back) if dotted(node) == total)
    start, end = source.span(back)
    left, right = source.span(place) if isinstance(place, ast.expr) else (start, start)
    goes = source.text[start:left] + _PART + source.text[right:end]
    kept = source.text[slice(*source.span(statement))].replace(
        source.text_of(part), f"{_PART}.detach()"
    )
    source.before(loop, *[source.text_of(each) for each in clears])
    source.replace(statement, f"{_PART} = {source.text_of(part)}")
    source.after(top, goes, kept)
    for each in (*clears, back):
        source.remove(each)


def _part_of(node: ast.AST, total: str) -> ast.expr | None:
    """Return what a statement adds to a sum."""
    if isinstance(node, ast.AugAssign):
        adds = isinstance(node.op, ast.Add) and dotted(node.target) == total
        return node.value if adds and not mentions(node.value, {total}) else None
    if not isinstance(node, ast.Assign) or [dotted(each) for each in node.targets] != [total]:
        return None
    value = node.value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    sides = [each for each in (value.left, value.right) if not mentions(each, {total})]
    whole = total in (dotted(value.left), dotted(value.right))
    return sides[0] if whole and len(sides) == 1 else None


def _shares(loop: ast.For | ast.While, total: str, graphs: Collection[str]) -> bool:
    """Whether a round uses the graph of another, or one from before the loop."""
    target = names(loop.target, ast.Store) if isinstance(loop, ast.For) else set()
    stored = names(loop, ast.Store) - {total}
    return bool((read_first(loop.body, target) - {total}) & (stored | set(graphs)))


def _what(back: ast.stmt) -> ast.expr | None:
    """Return what goes backward in a statement that is nothing else."""
    call = back.value if isinstance(back, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or called(call) != "backward":
        return None
    if call.args:
        return call.args[0] if len(call.args) == 1 else None
    return method(call, "backward")


def _is_linear(node: ast.expr | None, total: str) -> bool:
    """Whether an expression of a sum is that of its parts, added up."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult)):
        sides = [node.left, node.right] if isinstance(node.op, ast.Mult) else [node.left]
        rest = [each for each in (node.left, node.right) if mentions(each, {total})]
        return len(rest) == 1 and rest[0] in sides and _is_linear(rest[0], total)
    if called(node) == "scale" and isinstance(node, ast.Call) and len(node.args) == 1:
        return _is_linear(node.args[0], total)
    return node is not None and dotted(node) == total


def _changes(statement: ast.stmt, total: str) -> bool:
    """Whether a statement between the loop and its end gives the sum another value, or trains."""
    stored = {dotted(each) for each in ast.walk(statement) if isinstance(each, ast.expr)}
    return (
        isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and total in stored
    ) or bool(list(calls(statement, *_STEPS)) or isinstance(statement, Loop))
