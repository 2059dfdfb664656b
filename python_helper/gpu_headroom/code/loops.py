"""Names that the loops of a notebook leave behind, found in the source of its cells.

A loop leaves its last item, and the names that its body assigns and no code reads outside the
loops that assign them. Code that cannot be parsed counts as reading each word in it; a cell that
is too long to parse counts as reading each name.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .parsing import LONGEST, magics, parse_cell, words_in
from .reading import children, walk
from .scopes import Definition, For, With, uses_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..concurrency.turns import Turn
    from .scopes import Use


@dataclass(slots=True)
class _Code:
    """The names that code reads and assigns; `leaves` are those it was only made to assign."""

    reads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)


def left_behind(
    sources: Iterable[str], names: Collection[str], turn: Turn | None = None
) -> set[str]:
    """Return those of `names` that loops of cells with these sources leave behind.

    Raises `TimeLimitError` where the turn is over before all cells have been read.
    """
    wanted = set(names)
    outside, loops = _Code(), list[_Code]()
    for source in sources:
        if turn is not None:
            turn.check()
        if len(source) > LONGEST:
            return set()
        words = words_in(source)
        if wanted.isdisjoint(words):
            continue
        tree = parse_cell(source)
        if tree is None:
            outside.reads |= words
        else:
            outside.reads.update(*map(words_in, magics(source)))
            try:
                _sort(tree.body, outside, loops)
            except RecursionError:  # an expression of thousands of steps
                outside.reads |= words
    read = outside.reads.union(*(loop.reads - loop.stores - loop.leaves for loop in loops))
    loop_names = {name for loop in loops for name in loop.leaves | (loop.stores - outside.stores)}
    return (loop_names & wanted) - read


def _sort(statements: Iterable[ast.AST], outside: _Code, loops: list[_Code]) -> None:
    """Enter the code of a notebook: what belongs to a loop, and what does not."""
    for node in statements:
        if isinstance(node, (*For, ast.While)):
            target = [node.iter, node.target] if not isinstance(node, ast.While) else []
            outside.reads |= reads_of(target[:1])
            body = [child for child in children(node) if child not in target]
            loops.append(_Code(reads_of(body), stores_of(body), stores_of(target)))
        elif isinstance(node, With):
            _sort_with(node, outside, loops)
        elif isinstance(node, Definition) or not _has_statements(node):
            outside.reads |= reads_of([node])
            outside.stores |= stores_of([node])
        else:
            _sort(children(node), outside, loops)


def _sort_with(block: ast.With | ast.AsyncWith, outside: _Code, loops: list[_Code]) -> None:
    """Treat names after `as` like those of a loop: left behind if only the block reads them."""
    inside, first = _Code(), len(loops)
    _sort(block.body, inside, loops)
    leaves = {name for item in block.items for name in stores_of([item])}
    for loop in loops[first:]:
        loop.reads -= leaves
    loops.append(_Code(leaves=leaves))
    outside.reads |= (inside.reads - leaves) | reads_of(block.items)
    outside.stores |= inside.stores


def _has_statements(node: ast.AST) -> bool:
    return any(isinstance(child, ast.stmt) for child in walk(node) if child is not node)


def reads_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of the notebook that code reads, not those of its functions' own."""
    code = list(nodes)
    steps = (child for node in code for child in walk(node))
    added = {id(child.target) for child in steps if isinstance(child, ast.AugAssign)}
    return {
        use.name
        for use in _uses(code)
        if use.owner is None and (use.how != "bind" or id(use.node) in added)
    }


def stores_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that code gives a value in the notebook itself, not as a function runs."""
    return {
        use.name
        for use in _uses(nodes)
        if use.owner is None and use.how == "bind" and use.inside.function.parent is None
    }


def _uses(nodes: Iterable[ast.AST]) -> list[Use]:
    return uses_in(ast.Module(list(nodes), []))  # type: ignore[arg-type]  # any code will do
