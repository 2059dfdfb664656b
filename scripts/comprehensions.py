"""Comprehensions that the compiler of Python 3.12.0 and 3.12.1 mixes up.

These inline list, set and dict comprehensions into their function (PEP 709). Where one binds a name
and another one in the same function reads the global of that name, the second finds no value:

    def f(texts):
        lengths = [each for each in map(len, texts)]
        return [each(text) for text in texts]  # `each` is a function of the module

raises `UnboundLocalError`. People do not write that; what shortens names does.
"""

from __future__ import annotations

import ast
import string
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    Inlined = ast.ListComp | ast.SetComp | ast.DictComp

_INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)
_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def mixed_up(tree: ast.Module) -> Iterator[tuple[ast.AST, Inlined, str]]:
    """Yield a scope, a comprehension in it and a name of that which another one takes for its."""
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, _SCOPES))]:
        nodes = [node for node in _of(scope) if isinstance(node, _INLINED)]
        inner = {id(node) for comp in nodes for part in _inside(comp) for node in ast.walk(part)}
        read: set[str] = set().union(*(_free_in(comp) for comp in nodes if id(comp) not in inner))
        own = _bound_in(scope)
        yield from (
            (scope, comp, name) for comp in nodes for name in sorted(_targets(comp) & read - own)
        )


def part(tree: ast.Module) -> bool:
    """Give what they bind names that nothing else in their function has; whether there was any."""
    is_any = False
    # A new name is for one of them; what is left is looked for again.
    while (clash := next(mixed_up(tree), None)) is not None:
        scope, comprehension, name = clash
        names = {node.id for node in ast.walk(scope) if isinstance(node, ast.Name)}
        names |= {node.arg for node in ast.walk(scope) if isinstance(node, ast.arg)}
        new = next(letter for letter in _LETTERS if letter not in names)
        _rename(comprehension, name, new)
        is_any = True
    return is_any


def _rename(comprehension: Inlined, name: str, new: str) -> None:
    first = {id(node) for node in ast.walk(comprehension.generators[0].iter)}
    for node in ast.walk(comprehension):
        if isinstance(node, ast.arg) and node.arg == name:
            raise ValueError(f"{name} is a parameter within: {ast.unparse(comprehension)}")
        if isinstance(node, ast.Name) and node.id == name and id(node) not in first:
            node.id = new


def _of(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a scope, but not in a scope within it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, _SCOPES):
            yield from _of(node)


def _bound_in(scope: ast.AST) -> set[str]:
    """Return the names that a scope itself binds: its comprehensions are safe from those."""
    if isinstance(scope, ast.GeneratorExp):
        return _targets(scope)
    nodes = list(_of(scope))
    inside = {id(part) for node in nodes if isinstance(node, _INLINED) for part in ast.walk(node)}
    names = {node.target.id for node in nodes if isinstance(node, ast.NamedExpr)}
    for node in nodes:
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in inside
        ):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def _targets(node: Inlined | ast.GeneratorExp) -> set[str]:
    parts = chain.from_iterable(ast.walk(generator.target) for generator in node.generators)
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _inside(node: Inlined | ast.GeneratorExp) -> list[ast.AST]:
    """Return what of a comprehension is its own: the first iterable is its function's."""
    first = node.generators[0]
    parts = [child for child in ast.iter_child_nodes(node) if child is not first]
    return [*parts, first.target, *first.ifs]


def _free_in(node: Inlined | ast.GeneratorExp, bound: frozenset[str] = frozenset()) -> set[str]:
    """Return the names that a comprehension reads and does not bind."""
    bound |= _targets(node)
    return set().union(*(_free(child, bound) for child in _inside(node)))


def _free(node: ast.AST, bound: frozenset[str]) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id} - bound
    if isinstance(node, (*_INLINED, ast.GeneratorExp)):
        return _free(node.generators[0].iter, bound) | _free_in(node, bound)
    if isinstance(node, ast.Lambda):
        bound |= {child.arg for child in ast.walk(node.args) if isinstance(child, ast.arg)}
    return set().union(*(_free(child, bound) for child in ast.iter_child_nodes(node)))
