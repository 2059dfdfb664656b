"""Delete what a loop or a cell leaves behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import dotted, names
from ..code.flow import leaves, read_after, read_first
from ..code.source import CellSource, Function, Loop, Refused
from ..text.messages import message
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {"delete.nowhere": "No button: the code that it is about is not there any more."}


def deleted_in_loop(anchor: Anchor, *left: str, function: str | None = None) -> Rewrite:
    """`deleted_in_loop(anchor, "out", "loss")`: `del out, loss` ends each step of the loop there.

    Refused where a step may not have made them, or where one is read before it is made or after
    the loop, by whatever cell or function. Names of a `function` go there, those of the notebook
    (`""`) outside of all functions.
    """
    gone = tuple(dict.fromkeys(left))

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        statement = _found(cell, anchor)
        around = [statement, *(cell.parents(statement) if statement is not None else ())]
        loop = next((each for each in around if isinstance(each, Loop)), None)
        if loop is None:
            return message("delete.nowhere", TEXTS)
        return gate.is_bound(cell, loop.body, *gone) or gate.deletes(cell, loop.body[-1], *gone)

    return _deleted_in_loop(anchor, gone, function).asking(ask)


@rewriting
def _deleted_in_loop(
    source: CellSource, anchor: Anchor, left: tuple[str, ...], function: str | None
) -> None:
    statement = statement_at(source, anchor)
    loop = statement if isinstance(statement, Loop) else source.loop(statement)
    _is_in(source, loop, function)
    made = _made(loop.body)
    target = names(loop.target, ast.Store) if isinstance(loop, ast.For) else set()
    if not left or not made.issuperset(left) or read_first(loop.body, target) & set(left):
        raise Refused
    if isinstance(loop.body[-1], (ast.Delete, ast.Return, ast.Break, ast.Continue)):
        raise Refused
    if read_after(source, loop) & set(left):
        raise Refused
    source.after(loop.body[-1], f"del {', '.join(left)}")


def deleted_before(anchor: Anchor, *left: str, function: str | None = None) -> Rewrite:
    """`deleted_before(anchor, "out")`: `out = None` before a line that does not need it any more.

    Not `del`: the cell can run again. Refused where it is read from there on, by whatever cell or
    function, and in a function for what is not its own. `function` as in `deleted_in_loop`.
    """
    gone = tuple(dict.fromkeys(left))

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        statement = _found(cell, anchor)
        if statement is None:
            return message("delete.nowhere", TEXTS)
        return gate.deletes(
            cell, _outermost(statement, cell.parents(statement)), *gone, before=True
        )

    return _deleted_before(anchor, gone, function).asking(ask)


@rewriting
def _deleted_before(
    source: CellSource, anchor: Anchor, left: tuple[str, ...], function: str | None
) -> None:
    statement = statement_at(source, anchor)
    statement = _outermost(statement, source.parents(statement))
    around = _is_in(source, statement, function)
    if not left or names(statement) & set(left):
        raise Refused
    if isinstance(around, Function) and not names(around, ast.Store).issuperset(left):
        raise Refused
    block = source.body(statement)
    place = block.index(statement)
    before = block[place - 1] if place else None
    emptied = set[str]()
    if isinstance(before, ast.Assign) and isinstance(before.value, ast.Constant):
        emptied = set(map(dotted, before.targets))
    if isinstance(before, ast.Delete) or emptied & set(left):
        raise Refused
    if (read_after(source, statement) - names(statement, ast.Store)) & set(left):
        raise Refused
    source.before(statement, f"{' = '.join(left)} = None")


def _is_in(source: CellSource, statement: ast.stmt, function: str | None) -> ast.AST:
    """Return what a statement is in; refuse where that is not the function asked for."""
    around = source.function(statement)
    if function is not None and getattr(around, "name", "") != function.rpartition(".")[2]:
        raise Refused
    return around


def _outermost(statement: ast.stmt, parents: Iterable[ast.AST]) -> ast.stmt:
    """Return the outermost loop around a statement, of the same function, or itself."""
    for node in parents:
        if isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            break
        if isinstance(node, Loop):
            statement = node
    return statement


def _found(cell: CellCode, anchor: Anchor) -> ast.stmt | None:
    try:
        return statement_at(CellSource(cell.source, cell.tree), anchor)
    except Refused:
        return None


def _made(block: list[ast.stmt]) -> set[str]:
    """Return the names that each step makes."""
    made: set[str] = set()
    for statement in block:
        if isinstance(statement, ast.Assign):
            made |= {dotted(one) for target in statement.targets for one in leaves(target)}
        elif isinstance(statement, ast.With):
            made |= _made(statement.body)
    return made
