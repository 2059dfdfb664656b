"""A cache whose entries are on the host, and on the card while one is used."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted
from ..code.source import CellSource, Refused
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOOKS = {"len", "bool", "print"}
_OF_KEYS = {"clear", "keys"}
_TAKES_OUT = {"pop", "popitem", "popleft"}
_SEEN = {"shape", "dtype", "device", "ndim", "size"}


@rewriting
def cached_on_host(source: CellSource, container: str, back: str = ".cuda()") -> None:
    """`cached_on_host(container)`: `cache[k] = f(x).cpu()`, and `cache[k].cuda()` where it is read.

    Refused where the container is used in any other way than by its keys, or where an entry is no
    tensor as far as the text tells, or is changed in place.
    """
    stores = 0
    for node in mentioned(source.tree, container):
        around, *further = source.parents(node)
        if _is_harmless(node, around, further):
            continue
        if not isinstance(around, ast.Subscript) or isinstance(around.slice, ast.Slice):
            raise Refused
        outer = further[0]
        if isinstance(around.ctx, ast.Load):
            _read_back(source, around, outer, back)
        elif isinstance(outer, ast.Assign) and outer.targets == [around] and _is_one(outer.value):
            end = source.span(outer.value)[1]
            if called(outer.value) != "cpu":
                source.replace((end, end), ".cpu()")
                stores += 1
        else:
            raise Refused
    if not stores:
        raise Refused


@rewriting
def last_kept(source: CellSource, container: str) -> None:
    """`last_kept("probs")`: `del probs[:-10]` behind `probs.append(p)`, as no more is ever read.

    Refused where the list is used otherwise than by `probs[-10:]`, or `probs[-1]`.
    """
    added: list[ast.stmt] = []
    most = 0
    for node in mentioned(source.tree, container):
        around, *further = source.parents(node)
        if isinstance(around, (ast.Assign, ast.AnnAssign)) and _is_harmless(node, around, further):
            continue
        if getattr(around, "attr", "") == "append" and isinstance(further[1], ast.Expr):
            added.append(further[1])
        elif isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Load):
            most = max(most, _from_the_end(around.slice))
        else:
            raise Refused
    if not most or not added:
        raise Refused
    for each in added:
        source.after(each, f"del {container}[:-{most}]")


def _from_the_end(index: ast.expr) -> int:
    """Return how many of the last entries are read."""
    if isinstance(index, ast.Slice):
        if index.upper is not None or index.step is not None or index.lower is None:
            raise Refused
        index = index.lower
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        number = getattr(index.operand, "value", None)
        if isinstance(number, int) and number > 0:
            return number
    raise Refused


def only_made(texts: Iterable[str], *containers: str) -> bool:
    """Whether cells do no more with the containers than make them."""
    try:
        return all(
            isinstance(node.ctx, ast.Store)
            for each in texts
            for container in containers
            for node in mentioned(CellSource(each).tree, container)
        )
    except (Refused, RecursionError):
        return False


def only_by_keys(texts: Iterable[str], *containers: str) -> bool:
    """Whether cells use none of the containers for more than their keys."""
    try:
        sources = [CellSource(each) for each in texts]
        return all(
            _is_harmless(node, around, further)
            for source in sources
            for container in containers
            for node in mentioned(source.tree, container)
            for around, *further in [list(source.parents(node))]
        )
    except (Refused, RecursionError):
        return False


def mentioned(tree: ast.AST, container: str) -> Iterator[ast.Name | ast.Attribute]:
    """Yield where a name, or an attribute such as `self.cache`, stands."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted(node) == container:
            yield node


def _is_harmless(node: ast.expr, around: ast.AST, further: list[ast.AST]) -> bool:
    """Whether the container is made there, or its keys are asked for."""
    if isinstance(around, (ast.Assign, ast.AnnAssign)):
        return not isinstance(getattr(node, "ctx", None), ast.Load)
    if isinstance(around, ast.Compare):
        return all(isinstance(each, (ast.In, ast.NotIn)) for each in around.ops)
    if isinstance(around, ast.Attribute) and further:
        alone = len(further) > 1 and isinstance(further[1], ast.Expr)
        return around.attr in _OF_KEYS or (around.attr in _TAKES_OUT and alone)
    if isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Del):
        return True
    return called(around) in _LOOKS or isinstance(around, (ast.If, ast.While, ast.UnaryOp))


def _is_one(value: ast.expr) -> bool:
    """Whether it may be a tensor: the result of a call, or what a name stands for."""
    return isinstance(value, (ast.Call, ast.Name, ast.Subscript, ast.Attribute))


def _read_back(source: CellSource, entry: ast.Subscript, outer: ast.AST, back: str) -> None:
    """Bring an entry back where it is read."""
    name = outer.attr if isinstance(outer, ast.Attribute) else ""
    if isinstance(outer, ast.AugAssign) or (name.endswith("_") and not name.endswith("__")):
        raise Refused
    if name not in {*_SEEN, "cpu", "cuda", "to"}:
        end = source.span(entry)[1]
        source.replace((end, end), back)
