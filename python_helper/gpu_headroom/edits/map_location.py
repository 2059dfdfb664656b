"""A checkpoint that is only loaded into live models goes through the host."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import assigned, base_of, called, dotted, keyword, method
from ..code.reading import walk
from .rewrite import Rewrite, rewriting
from .source import NotApplicableError, Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..code.notebook import CellCode, Notebook
    from ..code.tree import Tree
    from .source import CellSource

_LOOKS = ("print", "len", "type", "sorted", "list")


def loaded_to_host(
    torch: str, loads: Collection[str], entries: Mapping[str, Collection[str]] | None = None
) -> Rewrite:
    """Create a rewrite of `torch.load(path)` to `torch.load(path, map_location="cpu")`.

    For a checkpoint that is passed to `load_state_dict` of one of the `loads`, in the same
    statement or through a variable of the cell, and used nowhere else in the notebook. `entries`
    are keys of live dicts, by variable name, without tensors below them: code may read these keys.
    """
    needs = partial(_is_only_loaded, torch=torch, entries=entries or {})
    return replace(_loaded(torch, frozenset(loads)), needs=needs)


@rewriting
def _loaded(source: CellSource, torch: str, loads: frozenset[str]) -> None:
    calls = list(_loads(source, torch))
    if len(calls) != 1:
        raise NotApplicableError
    (call,) = calls
    name = assigned(source.around(call) or call)
    into = [
        node
        for node in source.calls("load_state_dict")
        if dotted(method(node, "load_state_dict")) in loads
        and node.args
        and (call in walk(node) or dotted(base_of(node.args[0], ast.Subscript)) == name != "")
    ]
    if not into or any(isinstance(parent, Scope) for parent in source.parents(call)):
        raise NotApplicableError
    source.set_keyword(call, "map_location", '"cpu"')


def _loads(code: Tree, torch: str) -> Iterator[ast.Call]:
    for call in code.calls("load"):
        plain = dotted(call.func) == f"{torch}.load" and len(call.args) == 1
        given = keyword(call, "map_location")
        on_host = given is not None and "cpu" in ast.unparse(given.value)
        if plain and not on_host:
            yield call


def _is_only_loaded(
    notebook: Notebook, cell: CellCode, torch: str, entries: Mapping[str, Collection[str]]
) -> bool:
    """Return whether a checkpoint is loaded, printed or deleted, and no more, in all cells."""
    for call in _loads(cell, torch):
        statement = cell.parent(call)
        name = assigned(statement) if statement is not None else ""
        if not name:
            return _goes_into_a_model(cell, call)
        if any(name in code.words for code in notebook.cells):
            return False
        if not all(
            use.how != "read"
            or _goes_into_a_model(code, use.node)
            or _key_of(code.parent(use.node)) in entries.get(name, ())
            for code, use in notebook.uses(name)
        ):
            return False
    return True


def _key_of(node: ast.AST | None) -> str:
    key = getattr(node.slice, "value", "") if isinstance(node, ast.Subscript) else ""
    return key if isinstance(key, str) else ""


def _goes_into_a_model(cell: CellCode, node: ast.AST) -> bool:
    parent = cell.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _goes_into_a_model(cell, parent)
    if isinstance(parent, ast.Attribute):
        return parent.attr == "keys"
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    is_load = called(parent) == "load_state_dict" and isinstance(parent.func, ast.Attribute)
    return is_load or dotted(parent.func) in _LOOKS
