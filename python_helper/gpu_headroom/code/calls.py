"""Calls that code makes as it runs, also through functions of other cells."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING

from .notebook import Notebook
from .parsing import LONGEST
from .reading import children
from .scopes import executed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def together(sources: Iterable[str]) -> Notebook:
    """Read cells, in all no more than may be of one."""
    return Notebook.of([(source, source) for source in sources], most=LONGEST)


def functions_of(notebook: Notebook) -> dict[str, list[ast.AST]]:
    """Return the functions and methods that cells define, by name."""
    return {name: [function for _, function in pairs] for name, pairs in notebook.functions.items()}


def calls_from(
    roots: Iterable[ast.AST], functions: Mapping[str, list[ast.AST]]
) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of code and of the functions it calls, by dotted name.

    A function that a cell defines without calling it does not count.
    """
    waiting, seen = list(roots), set(map(id, roots))
    while waiting:
        for node in run_by(waiting.pop()):
            if not isinstance(node, ast.Call):
                continue
            name = dotted_of(node.func)
            if name:
                yield name, node
            for function in functions.get(name.rpartition(".")[2], ()):
                if id(function) not in seen:
                    seen.add(id(function))
                    waiting.append(function)


def run_by(root: ast.AST) -> Iterator[ast.AST]:
    """Walk through what runs inside, when this does."""
    return chain.from_iterable(map(executed, children(root)))


def dotted_of(node: ast.expr) -> str:
    """Return `a.b.c`; of a call or an index only what is asked of it: `.c`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    names.insert(0, node.id if isinstance(node, ast.Name) else "")
    return ".".join(names)
