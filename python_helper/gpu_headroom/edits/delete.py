"""Delete what a loop or a cell leaves behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import dotted, names
from ..code.flow import leaves, read_after, read_first
from ..code.source import Function, Loop, Refused
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.source import CellSource
    from .rewrite import Anchor


@rewriting
def deleted_in_loop(source: CellSource, anchor: Anchor, *left: str) -> None:
    """`deleted_in_loop(anchor, "out", "loss")`: `del out, loss` ends each step of the loop there.

    Refused where a step may not have made them, or where one is read before it is made or after
    the loop.
    """
    statement = statement_at(source, anchor)
    loop = statement if isinstance(statement, Loop) else source.loop(statement)
    made = _made(loop.body)
    target = names(loop.target, ast.Store) if isinstance(loop, ast.For) else set()
    if not left or not made.issuperset(left) or read_first(loop.body, target) & set(left):
        raise Refused
    if isinstance(loop.body[-1], (ast.Delete, ast.Return, ast.Break, ast.Continue)):
        raise Refused
    if read_after(source, loop) & set(left):
        raise Refused
    source.after(loop.body[-1], f"del {', '.join(left)}")


@rewriting
def deleted_before(source: CellSource, anchor: Anchor, *left: str) -> None:
    """`deleted_before(anchor, "out")`: `del out` before a line that does not need it any more.

    `model = optimizer = None` where they are made anew from there on: it can be done again. Refused
    where it is read from there on, and in a function for what is not its own.
    """
    statement = statement_at(source, anchor)
    for each in source.parents(statement):
        if isinstance(each, Loop):
            statement = each
    function = source.function(statement)
    if not left or names(statement) & set(left):
        raise Refused
    if isinstance(function, Function) and not names(function, ast.Store).issuperset(left):
        raise Refused
    block = source.body(statement)
    place = block.index(statement)
    before = block[place - 1] if place else None
    if isinstance(before, ast.Delete) or (
        isinstance(before, ast.Assign)
        and isinstance(before.value, ast.Constant)
        and names(before, ast.Store) & set(left)
    ):
        raise Refused
    if (read_after(source, statement) - names(statement, ast.Store)) & set(left):
        raise Refused
    made = {name for each in block[place:] for name in names(each, ast.Store)}
    anew = made.issuperset(left[:1])
    source.before(statement, f"{' = '.join(left)} = None" if anew else f"del {', '.join(left)}")


def _made(block: list[ast.stmt]) -> set[str]:
    """Return the names that each step makes."""
    made: set[str] = set()
    for each in block:
        if isinstance(each, ast.Assign):
            made |= {dotted(one) for target in each.targets for one in leaves(target)}
        elif isinstance(each, ast.With):
            made |= _made(each.body)
    return made
