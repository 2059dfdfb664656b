"""A cache whose entries are on the host, and on the card while one is used."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, called, dotted, words
from ..code.notebook import CodePlace
from ..code.source import CellSource, Refused
from .keep_numbers import is_only_a_value
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Question, Rewrite

    Harmless = Callable[[ast.expr, ast.AST, list[ast.AST]], bool]

TEXTS = {
    "cache.used": "No button: {cell}, line {line} uses `{name}` in another way.",
    "cache.changed": "No button: {cell}, line {line} may change what is in `{name}` in place.",
}
_LOOKS = {"len", "bool", "print"}
_OF_KEYS = {"clear", "keys"}
_TAKES_OUT = {"pop", "popitem", "popleft"}
_SEEN = words("shape dtype ndim size")


def cached_on_host(container: str, back: str = ".cuda()") -> Rewrite:
    """`cached_on_host(container)`: `cache[k] = f(x).cpu()`, and `cache[k].cuda()` where it is read.

    Refused where the container is used in any other way than by its keys, in any cell, or where an
    entry is no tensor as far as the text tells, or may be changed in place.
    """

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        return (
            gate.unread()
            or only_seen(_is_harmless, container)(gate, cell)
            or is_only_a_value(gate, cell, container)
            or _is_unchanged(gate, cell, container)
        )

    return _cached_on_host(container, back).asking(ask)


@rewriting
def _cached_on_host(source: CellSource, container: str, back: str) -> None:
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


def _is_unchanged(gate: Gate, cell: CellCode, container: str) -> Message | None:
    """Whether nothing that is read from a cache, or comes of it, is changed in place."""
    found = gate.taint.derived(gate.slots(cell, container))
    for other, node in gate.notebook.nodes():
        changed: ast.expr | None = None
        if isinstance(node, ast.AugAssign):
            changed = node.target
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            changed = None if dotted(node.value) == container else node.value
        elif isinstance(node, ast.Attribute) and node.attr.endswith("_"):
            changed = node.value if not node.attr.startswith("_") else None
        elif isinstance(node, ast.keyword) and node.arg == "out":
            changed = node.value
        slots = gate.taint.targets(other, changed) | gate.taint.slots(other, changed)
        if changed is not None and slots & found:
            return _said("cache.changed", container, other, node)
    return None


@rewriting
def _last_kept(source: CellSource, container: str) -> None:
    added: list[ast.stmt] = []
    most = 0
    for node in mentioned(source.tree, container):
        around, *further = source.parents(node)
        if _is_made(node, around, further):
            continue
        if getattr(around, "attr", "") == "append" and isinstance(further[1], ast.Expr):
            added.append(further[1])
        elif isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Load):
            most = max(most, _from_the_end(around.slice))
        else:
            raise Refused
    if not most or not added:
        raise Refused
    for statement in added:
        source.after(statement, f"del {container}[:-{most}]")


def last_kept(container: str) -> Rewrite:
    """`last_kept("probs")`: `del probs[:-10]` behind `probs.append(p)`, as no more is ever read.

    Refused where the list is used otherwise than by `probs[-10:]`, or `probs[-1]`; other cells do
    no more than make it.
    """

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        return gate.unread() or only_seen(_is_made, container, lists=True)(gate, cell)

    return _last_kept(container).asking(ask)


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


def only_seen(harmless: Harmless, container: str, *, lists: bool = False) -> Question:
    """Ask whether a container is used in no other way than is harmless, outside of its cell.

    As an attribute it is known by its last name, whoever owns it. With `lists` it has to be made as
    a list somewhere.
    """

    def ask(gate: Gate, own: CellCode) -> Message | None:
        name, is_made = container.rpartition(".")[2], not lists
        for cell in gate.notebook.cells:
            if name in cell.words:
                return _said("cache.used", container, cell, ast.Constant(None))
            for node in cell.nodes:
                known = isinstance(node, ast.Attribute) and node.attr == name and "." in container
                known |= isinstance(node, ast.Name) and node.id == container
                hidden = called(node) == "getattr" if "." in container else _is_given(node, name)
                if hidden:
                    return _said("cache.used", container, cell, node)
                if not known or not isinstance(node, ast.expr):
                    continue
                around, *further = cell.parents(node)
                value = getattr(around, "value", None)
                is_list = isinstance(value, ast.List) or called(value) == "list"
                made = harmless(node, around, further)
                if lists and made and not is_list:
                    return _said("cache.used", container, cell, node)
                is_made |= made and is_list
                if not made and (cell is not own or dotted(node) != container):
                    return _said("cache.used", container, cell, node)
        return None if is_made else _said("cache.used", container, own, ast.Constant(None))

    return ask


def _is_given(node: ast.AST, name: str) -> bool:
    """Whether a name is bound by something else than an assignment."""
    if isinstance(node, (ast.arg, ast.alias)):
        return name in (getattr(node, "arg", ""), getattr(node, "asname", ""))
    return isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names


def _said(which: str, name: str, cell: CellCode, node: ast.AST) -> Message:
    return CodePlace.of(cell, node).says(which, TEXTS, name=name)


def mentioned(tree: ast.AST, container: str) -> Iterator[ast.Name | ast.Attribute]:
    """Yield where a name, or an attribute such as `self.cache`, stands."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted(node) == container:
            yield node


def _is_made(node: ast.expr, around: ast.AST, _: list[ast.AST]) -> bool:
    """Whether the container is made there, and gets no other name."""
    if isinstance(around, ast.Assign):
        return around.targets == [node]
    return isinstance(around, ast.AnnAssign) and assigned(around) == dotted(node) != ""


def _is_harmless(node: ast.expr, around: ast.AST, further: list[ast.AST]) -> bool:
    """Whether the container is made there, or its keys are asked for."""
    if isinstance(around, (ast.Assign, ast.AnnAssign)):
        return _is_made(node, around, further)
    if isinstance(around, ast.Compare):
        operators = all(isinstance(operator, (ast.In, ast.NotIn)) for operator in around.ops)
        return operators and node is around.comparators[-1]
    if isinstance(around, ast.Attribute) and further:
        alone = len(further) > 1 and isinstance(further[1], ast.Expr)
        return around.attr in _OF_KEYS or (around.attr in _TAKES_OUT and alone)
    if isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Del):
        return True
    if called(around) in _LOOKS:
        return called(around) != "print"
    return isinstance(around, (ast.If, ast.While)) or (
        isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not)
    )


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
