"""Names in the source of a loop or a function: those it binds, adds to, collects, hands on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .find import called, names, words
from .parsing import LONGEST, parse_cell
from .reading import check_time, children, walk
from .scopes import Function, named_by
from .training import goes_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Loop = ast.For | ast.AsyncFor | ast.While
    Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | Loop

LOOP = (ast.For, ast.AsyncFor, ast.While)
_NUMBERS = words("item detach detach_ tolist numpy float int cpu")
_GATHERS = words("list tuple set sorted")
_GROWS = words("append extend appendleft add update insert put setdefault")


def grown_by_functions(sources: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return containers that functions of these cells add to, and attributes they accumulate.

    A container that the function has created is left out, as an argument may have the same name.
    Attributes are of any object: `.seen`. Of the second kind are `.total`, made from its old value,
    and `.mean`, made from `.total`. At most the text of one cell of the greatest length is parsed.
    """
    remaining, containers, added = LONGEST, set[str](), set[str]()
    for text in sources:
        remaining -= len(text)
        tree = parse_cell(text) if remaining >= 0 else None
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, Function) and node.name != "forward":
                shared = [child.names for child in walk(node) if isinstance(child, ast.Global)]
                containers |= set(grown(node)) - set(stored(node)).difference(*shared)
                added |= {path for path in added_to(node) if path[0] == "."}
                added |= {
                    name
                    for child in walk(node)
                    if isinstance(child, ast.Assign) and _bound_in(child.value) & added
                    for target in child.targets
                    for name in _bound_in(target)
                    if name[0] == "."
                }
    return containers, added


def scopes_at(tree: ast.Module, number: int) -> tuple[Scope, Scope]:
    """Return the function around a line, or the whole cell, and the innermost loop around it.

    Without a loop, both are the same.
    """
    function: Scope = tree
    scope: Scope = tree
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function) and spans(node, number):
            function = scope = node
        elif isinstance(node, LOOP) and spans(node, number):
            scope = node
        waiting += [
            child
            for child in children(node)
            if not isinstance(child, ast.stmt) or spans(child, number)
        ]
    return function, scope


def spans(node: ast.AST, number: int) -> bool:
    """Whether a line, counted from 1, belongs to a node."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
    return first <= number <= (last or first)


def calls_in(scope: Scope, number: int) -> Iterator[ast.Call]:
    """Yield the calls of a scope, without those of loops and functions beside the line."""
    for node in _statements(scope, number):
        if isinstance(node, ast.Call):
            yield node


def _statements(scope: Scope, number: int | None = None) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [scope]
    while waiting:
        check_time()
        node = waiting.pop()
        if node is not scope and isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.comprehension):  # its names are its own
            waiting += [node.iter, *node.ifs]
            continue
        yield node
        is_inner = number is not None and node is not scope and isinstance(node, LOOP)
        if is_inner and not spans(node, number or 0):
            continue
        waiting += children(node)


def bound_from(loop: Scope, number: int) -> Iterator[str]:
    """Yield the names that a loop binds at a line or behind it, and not before.

    Not what it reads from there to where it binds it: that is handed on.
    """
    before, behind = set[str](), dict[str, int]()
    nodes = list(_statements(loop))
    # Which of several statements in one line was running is not known.
    shared = sum(isinstance(child, ast.stmt) and child.lineno == number for child in nodes) > 1
    for node in nodes:
        for name in _bound_by(node):
            # A statement over several lines binds its names when it has come to its end.
            at: int = getattr(node, "lineno", 0)
            if at < number + shared:
                before.add(name)
            else:
                behind[name] = min(at, behind.get(name, at))
    if isinstance(loop, (ast.For, ast.AsyncFor)):
        before |= names(loop.target, ast.expr_context)
    before |= {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if number <= node.lineno <= behind.get(node.id, 0)
    }
    return iter(behind.keys() - before)


def assigned_at(scope: Scope, number: int) -> Iterator[str]:
    """Yield the names that a statement gives a value without reading it; `.model` of any."""
    for node in _statements(scope, number):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and spans(node, number):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from _bound_in(target) - (_bound_in(node.value) if node.value else set())


def stored(scope: Scope) -> Iterator[str]:
    """Yield the names that a scope gives a value."""
    for node in _statements(scope):
        yield from _bound_by(node)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    yield from named_by(node)


def added_to(loop: Scope) -> Iterator[str]:
    """Yield the names that a loop computes from their old values, with graphs; `.total` of any.

    Names that each iteration first assigns from other values are left out.
    """
    yield from set(_made_from_themselves(loop)) - _made_anew(loop)


class Gathering(NamedTuple):
    """An expression that keeps many values until the last is made: a comprehension, `list(…)`.

    `name` is what it is assigned to, empty where it is nothing; `on_host` is the expression with
    each value copied to the host.
    """

    name: str
    text: str
    on_host: str


def gathering(function: Scope, number: int) -> Gathering | None:
    """Return the expression at a line that gathers what calls make, the innermost one."""
    innermost = None
    for node in walk(function):
        if not isinstance(node, ast.expr) or not spans(node, number):
            continue
        on_host = _on_host(node)
        if on_host is not None:
            given = [child for child in walk(function) if isinstance(child, ast.Assign)]
            names = (
                assignment.targets[0].id
                for assignment in given
                if isinstance(assignment.targets[0], ast.Name) and node in walk(assignment.value)
            )
            innermost = Gathering(next(names, ""), ast.unparse(node), on_host)
    return innermost


def _on_host(node: ast.expr) -> str | None:
    """Return an expression that gathers values with each of them on the host; `None`: none does."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
        element = node.value if isinstance(node, ast.DictComp) else node.elt
        if any(isinstance(child, ast.Call) for child in walk(element)):
            moved = ast.Call(ast.Attribute(element, "cpu", ast.Load()), [], [])
            return ast.unparse(node).replace(ast.unparse(element), ast.unparse(moved), 1)
    elif isinstance(node, ast.Call) and called(node) in _GATHERS and len(node.args) == 1:
        (given,) = node.args
        if isinstance(given, (ast.Call, ast.Name, ast.GeneratorExp)):
            return f"[each.cpu() for each in {ast.unparse(given)}]"
    return None


def _made_anew(loop: Scope) -> set[str]:
    rebound = _bound_in(loop.target) if isinstance(loop, (ast.For, ast.AsyncFor)) else set()
    waiting = list(loop.body) if isinstance(loop, LOOP) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.With, ast.AsyncWith)):
            waiting += node.body
        elif isinstance(node, ast.Assign):
            read = _bound_in(node.value) | names(node.value)
            rebound |= set().union(*map(_bound_in, node.targets)) - read
    return rebound


def _made_from_themselves(loop: Scope) -> Iterator[str]:
    for node in _statements(loop):
        if isinstance(node, ast.AugAssign) and not _is_number(node.value):
            yield from _bound_in(node.target)
        elif isinstance(node, ast.Assign) and not _is_number(node.value):
            read = _bound_in(node.value)
            for target in node.targets:
                yield from _bound_in(target) & read


def _bound_in(node: ast.expr) -> set[str]:
    """Return the names in an expression, and the last ones of attributes with their dot."""
    inner = list(walk(node))
    owners = {id(child.value) for child in inner if isinstance(child, ast.Attribute)}
    names = {child.id for child in inner if isinstance(child, ast.Name) and id(child) not in owners}
    return names | {
        f".{child.attr}"
        for child in inner
        if isinstance(child, ast.Attribute) and id(child) not in owners
    }


def one_pass(scope: Scope) -> Iterator[tuple[Loop, set[str]]]:
    """Yield each loop of a scope, and the names it collects for a backward pass after the loop.

    Such memory is not a leak: the collection starts empty before each loop. A sum alone does not
    count, as each term could have a backward pass of its own, unless the terms share values that
    one iteration passes to the next.
    """
    if not any(map(goes_back, walk(scope))):
        return
    written, read = dict[str, int](), dict[str, int]()
    for node in _statements(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            written[node.id] = min(node.lineno, written.get(node.id, node.lineno))
        elif isinstance(node, ast.Name):
            read[node.id] = max(node.lineno, read.get(node.id, 0))
    first = min(_backward_at(scope), default=0)
    for loop in _statements(scope, 0):
        if not isinstance(loop, LOOP) or loop is scope:
            continue
        yield from one_pass(loop)
        last = loop.end_lineno or loop.lineno
        if first > last and not any(_backward_at(loop)):
            collected = {name for name in grown(loop) if read.get(name, 0) > last}
            collected |= set(_handed_on(loop))
            begun = {name for name, line in written.items() if line < loop.lineno}
            yield loop, (collected | set(added_to(loop))) & begun if collected & begun else set()


def _backward_at(scope: Scope) -> Iterator[int]:
    """Yield the lines of a scope's own calls that go backward, outside the loops in it."""
    return (call.lineno for call in calls_in(scope, 0) if goes_back(call))


def _handed_on(loop: Loop) -> Iterator[str]:
    for node in _statements(loop):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                yield from _bound_in(target) & _bound_in(node.value)


def grown(scope: Scope) -> Iterator[str]:
    """Yield the name of each container that a scope puts something into; `.seen` of any."""
    for node in _statements(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _GROWS:
                yield from _container(node.func.value)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from _container(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List):
            yield from _container(node.target)


def _container(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield f".{node.attr}"


def _is_number(value: ast.expr) -> bool:
    """Whether an expression ends in something that lets go of the graph."""
    return isinstance(value, ast.Constant) or any(called(node) in _NUMBERS for node in walk(value))
