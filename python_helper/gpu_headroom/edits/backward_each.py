"""Each part of a sum of losses goes backward by itself, not all of them at the end."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..code.find import assigned, called, calls, dotted, mentions, method, names, words
from ..code.flow import backwards, read_first
from ..code.notebook import CodePlace
from ..code.origins import Origins
from ..code.pure import ANY_LAYER, LIBRARIES, Doubt, Pure
from ..code.source import CellSource, Function, Loop, Refused
from ..code.training import MAKES
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Rewrite

_DEEPEST = 6
_DEFINES = (ast.alias, ast.ClassDef, *Function)

_STEPS = ("step", "zero_grad", "backward", "append", "extend")

TEXTS = {
    "backward-each.round": (
        "No button: whether each round has a graph of its own cannot be told ({cell}, line {line})."
    ),
    "backward-each.name": "No button: `{name}` may hold a graph that all rounds have in common.",
    "backward-each.total": (
        "No button: `{name}` is used with its graph in {cell}, line {line}, or begins with one."
    ),
}
# They make values without a graph, of values without one.
_MAKES = MAKES | words(
    """linspace eye randperm split chunk view reshape unsqueeze squeeze long double list tuple zip
    enumerate tqdm values DataLoader TensorDataset Parameter device cpu"""
)


def backward_each(total: str, graphs: Collection[str] = (), part: str = "part") -> Rewrite:
    """`backward_each("loss")`: in place of `loss += f(x)` and one `loss.backward()` at the end.

    `part = f(x)`, `part.backward()`, `loss += part.detach()` in each round, as gradients add up;
    `zero_grad()` goes before the loop. `graphs` are names that hold graphs already, `part` is a
    name that nobody has. Refused where rounds have a graph in common: then it would be gone after
    the first of them.
    """
    asks = AddsUp(total)
    return _backward_each(total, graphs, part).asking(asks, lambda gate, _: gate.binds(part))


class _Sum(NamedTuple):
    """A loop that adds up a total, and what goes backward behind it."""

    statement: ast.stmt
    part: ast.expr
    loop: ast.For | ast.While
    top: ast.stmt
    between: list[ast.stmt]
    clears: list[ast.stmt]
    back: ast.stmt


def _sum_of(source: CellSource, total: str, graphs: Collection[str]) -> _Sum:
    adding = [node for node in ast.walk(source.tree) if _part_of(node, total) is not None]
    if len(adding) != 1:
        raise Refused
    (statement,) = adding
    part = _part_of(statement, total)
    if part is None or not isinstance(statement, ast.stmt):
        raise Refused
    loop = source.loop(statement)
    top = next(child for child in loop.body if statement in ast.walk(child))
    if top is not statement and not (isinstance(top, ast.With) and statement in top.body):
        raise Refused
    if list(calls(loop, *_STEPS)) or _shares(loop, total, graphs):
        raise Refused
    block = source.body(loop)
    behind = block[block.index(loop) + 1 :]
    back = next((child for child in behind if backwards(child)), None)
    whole = ast.walk(source.function(loop))
    statements = [child for child in whole if isinstance(child, ast.Expr) and backwards(child)]
    if back is None or len(statements) != 1 or not _is_linear(_what(back), total):
        raise Refused
    between = behind[: behind.index(back)]
    clears = [child for child in between if called(getattr(child, "value", None)) == "zero_grad"]
    if any(_changes(child, total) for child in between if child not in clears):
        raise Refused
    if (names(back) - {total}) & names(loop, ast.Store):
        raise Refused  # a number of rounds, which is smaller in each
    return _Sum(statement, part, loop, top, between, clears, back)


@rewriting
def _backward_each(source: CellSource, total: str, graphs: Collection[str], name: str) -> None:
    if name in names(source.tree) | names(source.tree, ast.Store):
        raise Refused
    statement, part, loop, top, _, clears, back = _sum_of(source, total, graphs)
    place = next(node for node in ast.walk(back) if dotted(node) == total)
    start, end = source.span(back)
    left, right = source.span(place) if isinstance(place, ast.expr) else (start, start)
    goes = source.text[start:left] + name + source.text[right:end]
    kept = source.text[slice(*source.span(statement))].replace(
        source.text_of(part), f"{name}.detach()"
    )
    source.before(loop, *[source.text_of(each) for each in clears])
    source.replace(statement, f"{name} = {source.text_of(part)}")
    source.after(top, goes, kept)
    for child in (*clears, back):
        source.remove(child)


def _part_of(node: ast.AST, total: str) -> ast.expr | None:
    """Return what a statement adds to a sum."""
    if isinstance(node, ast.AugAssign):
        adds = isinstance(node.op, ast.Add) and dotted(node.target) == total
        return node.value if adds and not mentions(node.value, {total}) else None
    if not isinstance(node, ast.Assign) or [dotted(expression) for expression in node.targets] != [
        total
    ]:
        return None
    value = node.value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    sides = [
        expression for expression in (value.left, value.right) if not mentions(expression, {total})
    ]
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
        rest = [
            expression for expression in (node.left, node.right) if mentions(expression, {total})
        ]
        return len(rest) == 1 and rest[0] in sides and _is_linear(rest[0], total)
    if called(node) == "scale" and isinstance(node, ast.Call) and len(node.args) == 1:
        return _is_linear(node.args[0], total)
    return node is not None and dotted(node) == total


def _changes(statement: ast.stmt, total: str) -> bool:
    """Whether a statement between the loop and its end gives the sum another value, or trains."""
    stored = {dotted(node) for node in ast.walk(statement) if isinstance(node, ast.expr)}
    return (
        isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and total in stored
    ) or bool(list(calls(statement, *_STEPS)) or isinstance(statement, Loop))


@dataclass(frozen=True, slots=True)
class AddsUp:
    """Asks whether gradients of the parts of a sum add up to its own, and who else needs it."""

    total: str

    def __call__(self, gate: Gate, cell: CellCode) -> Message | None:
        """Return why not, or `None`."""
        why = gate.unread()
        if why is not None:
            return why
        pure = Pure(gate.notebook, gate.live, ANY_LAYER, LIBRARIES)
        try:
            source = CellSource(cell.source, cell.tree)
            found = _sum_of(source, self.total, ())
            name = pure.modules()
            if name is not None:
                return message("backward-each.name", TEXTS, name=name)
            self._round(pure, cell, found)
        except Doubt as doubt:
            return doubt.place.says("backward-each.round", TEXTS)
        except Refused:
            return CodePlace(cell, 1).says("backward-each.round", TEXTS)
        return self._shared(gate, pure, cell, found) or self._needed(gate, cell, source, found)

    def _round(self, pure: Pure, cell: CellCode, found: _Sum) -> None:
        """Check that a round only computes."""
        for statement in found.loop.body:
            inner = statement.body if isinstance(statement, ast.With) else [statement]
            for node in inner:
                if node is found.statement:
                    pure.of_block(cell, [found.part])
                elif isinstance(node, ast.Assign):
                    pure.of_block(cell, [node])
                else:
                    raise Doubt(cell, node)
        for statement in found.between:
            if any(
                isinstance(node, ast.Attribute) and node.attr == "grad"
                for node in ast.walk(statement)
            ):
                raise Doubt(cell, statement)

    def _shared(self, gate: Gate, pure: Pure, cell: CellCode, found: _Sum) -> Message | None:
        """Whether nothing that rounds read, or functions that they call, has a graph."""
        loop, inside = found.loop, names(found.loop, ast.Store)
        heads = [loop.iter] if isinstance(loop, ast.For) else [loop.test]
        reached = [
            (where or cell, part)
            for child in (*loop.body, *heads)
            for where, part in gate.notebook.reached(child)
        ]
        for where, part in reached:
            for node in ast.walk(part):
                known = where.owners.get(node) if isinstance(node, ast.Name) else None
                if known is None or not isinstance(getattr(node, "ctx", None), ast.Load):
                    continue
                name, owner, _ = known
                is_own = where is cell and name in inside | {self.total}
                local = owner is not None and any(owner.node is child for _, child in reached)
                local |= owner is not None and _is_inner(owner.node)
                if is_own or local or _is_free(gate, pure, where, node, 0):
                    continue
                return message("backward-each.name", TEXTS, name=name)
        return None

    def _needed(
        self, gate: Gate, cell: CellCode, source: CellSource, found: _Sum
    ) -> Message | None:
        """Whether the sum begins with nothing, and only its number is read besides."""
        place = next(node for node in ast.walk(found.statement) if dotted(node) == self.total)
        known = cell.owners.get(place)
        block = source.body(found.loop)
        before = block[: block.index(found.loop)]
        begins = [statement for statement in before if assigned(statement) == self.total]
        if known is None or not begins:
            return CodePlace.of(cell, place).says("backward-each.total", TEXTS, name=self.total)
        own = {
            id(node) for statement in (found.statement, found.back) for node in ast.walk(statement)
        }
        for where, use in gate.notebook.uses_of(cell, self.total, known[1]):
            if id(use.node) in own:
                continue
            parent = where.parent(use.node)
            nothing = isinstance(parent, ast.Assign) and (
                isinstance(parent.value, ast.Constant)
                or called(parent.value) in ("zeros", "tensor")
            )
            nothing &= parent is not None and "requires_grad" not in ast.unparse(parent)
            number = isinstance(parent, ast.Attribute) and parent.attr in ("item", "detach")
            number |= called(parent) == "float"
            if not (nothing if use.how == "bind" else number):
                return CodePlace.of(where, use.node).says(
                    "backward-each.total", TEXTS, name=self.total
                )
        return None


def _is_inner(node: ast.AST) -> bool:
    return isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp))


def _is_free(  # noqa: PLR0911  a kind of value each
    gate: Gate, pure: Pure, cell: CellCode, node: ast.AST, deep: int
) -> bool:
    """Whether a value has no graph: a module, a function, a number, data."""
    known = cell.owners.get(node)
    if known is None or deep > _DEEPEST:
        return False
    name, owner, _ = known
    if owner is None:
        uses = gate.notebook.uses(name)
        fact = gate.live.tensors.get(name)
        if fact is not None and not fact.requires_grad:
            return True
        if name in gate.live.models or name in gate.live.loaders:
            return True
        if not any(use.how != "read" for _, use in uses):
            return name in vars(builtins)
        if all(isinstance(use.node, _DEFINES) for _, use in uses if use.how != "read"):
            return True
    if pure.is_module(cell, node):
        return True
    try:
        made = Origins(gate.notebook).of(cell, node, parts=True)
    except Refused:
        return False
    return all(_is_data(gate, pure, where, child, deep) for where, child in made)


def _is_data(gate: Gate, pure: Pure, cell: CellCode, made: ast.AST, deep: int) -> bool:
    for node in ast.walk(made):
        if isinstance(node, ast.Call) and called(node) not in _MAKES:
            return False
        if isinstance(node, ast.keyword) and node.arg == "requires_grad":
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            known = cell.owners.get(node)
            inner = known is not None and known[1] is not None and _is_inner(known[1].node)
            if not inner and not _is_free(gate, pure, cell, node, deep + 1):
                return False
    return True
