"""Keep a value without its graph, or off the card, instead of a whole graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, called, dotted, values_of, words
from ..code.flow import backwards, leaves
from ..code.notebook import CodePlace
from ..code.source import CellSource, Refused
from ..code.taint import ADDS
from ..text.messages import message
from .on_host import JOINS, stays_on_host
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Question, Rewrite

TEXTS = {
    "keep.identity": (
        "No button: {cell}, line {line} asks whether what is in `{name}` is one and the same."
    ),
    "keep.by_text": "No button: {cell}, line {line} reads attributes by text: maybe `{name}`.",
    "keep.truncates": (
        "No button: gradients would end at each step of the loop, which changes what is trained. "
        "It is right for truncated backpropagation through time alone."
    ),
    "keep.no_dict": "No button: what is put into `{name}` may be more than a dict.",
}
# What is made so is no tensor.
_PLAIN = words(
    """item tolist numpy float int str len bool size shape numel dict list tuple round copy items
    values keys"""
)
# Only tensors have them.
_OF_TENSORS = words(
    """backward detach item cpu cuda argmax requires_grad_ unsqueeze softmax sigmoid log_softmax
    view permute squeeze retain_grad"""
)
_WHOLE = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Await)
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp)
_ASKS = ("index", "remove", "count")
_WITHOUT = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def kept(container: str, how: str, *beside: str, one: bool = True) -> Rewrite:
    """`kept(container, how)`: what is put into a list, dict or sum is kept as `how` says.

    `container` is where it is kept: `losses`, `self.losses`, `log['loss']`, a sum `total`. `how` is
    `.detach()`, `.cpu()`, or both: `.detach().cpu()`. Understood are `append`, `extend` and the
    like, `total += loss`, `total = total + loss`, `history[k] = out`, comprehensions and
    `torch.cat([outs, out])`. With `.cpu()` what is put into containers `beside` it is kept on the
    host as well. Without `one` a value is several tensors, of which each has to be named:
    `outs.append((a, b))`.
    """
    containers = tuple([each.replace('"', "'") for each in (container, *beside)])
    edit = _kept(containers, how, one=one)
    if "detach" in how:
        edit = edit.asking(_needs_no_graph(containers))
    return edit.asking(stays_on_host(values, *containers)) if "cpu" in how else edit


def _needs_no_graph(containers: tuple[str, ...]) -> Question:
    def ask(gate: Gate, cell: CellCode) -> Message | None:
        return gate.detaches(cell, *containers) or is_only_a_value(gate, cell, *containers)

    return ask


def is_only_a_value(gate: Gate, cell: CellCode, *containers: str) -> Message | None:
    """Whether nobody asks which object it is that a container holds, or reads it by text."""
    slots = gate.slots(cell, *containers)
    parts = {name for kind, _, name in slots if kind == "attribute"}
    for other, call in gate.notebook.calls("getattr") if parts else ():
        known = call.args[1] if len(call.args) > 1 else None
        if not isinstance(known, ast.Constant) or known.value in parts:
            return _said("keep.by_text", containers[0], other, call)
    found = gate.taint.derived(slots)
    for other, node in gate.notebook.nodes():
        sides = _told_apart(gate, node)
        if any(gate.taint.slots(other, expression) & found for expression in sides):
            return _said("keep.identity", containers[0], other, node)
    return None


def _told_apart(gate: Gate, node: ast.AST) -> list[ast.expr]:
    """Return what a piece of code may tell apart by what object it is."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], _WITHOUT):
        sides = [node.left, *node.comparators]
        of_keys = not isinstance(node.ops[0], (ast.Is, ast.IsNot)) and _is_dict(gate, sides[-1])
        known = of_keys or any(isinstance(expression, ast.Constant) for expression in sides)
        return [] if known else sides
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and called(node) in _ASKS and node.args:
            return [node.func.value]
        return node.args if called(node) == "id" else []
    return []


def _is_dict(gate: Gate, node: ast.expr) -> bool:
    """Whether an expression is given dicts alone: then `in` looks at keys."""
    name = dotted(node)
    made = values_of((child for _, child in gate.notebook.nodes()), name) if name else []
    return bool(made) and all(
        isinstance(expression, (ast.Dict, ast.DictComp))
        or called(expression) in ("dict", "defaultdict")
        for expression in made
    )


def _said(which: str, name: str, cell: CellCode, node: ast.AST) -> Message:
    return CodePlace.of(cell, node).says(which, TEXTS, name=name)


@rewriting
def _kept(source: CellSource, containers: tuple[str, ...], how: str, *, one: bool) -> None:
    for wanted in containers:
        expressions = [
            expression for node in ast.walk(source.tree) for expression in values(node, wanted)
        ]
        if not one and not all(isinstance(x, (ast.Tuple, ast.List, ast.Dict)) for x in expressions):
            raise Refused
        if not expressions:
            raise Refused  # what is not put there by this cell stays where it is
        parts = [part for expression in expressions for part in _members(expression)]
        changed = [part for part in parts if _is_tensor(source, part, alone=len(parts) == 1)]
        if not sum(_append(source, part, how) for part in changed) and wanted == containers[0]:
            raise Refused


def _is_tensor(source: CellSource, node: ast.expr, *, alone: bool) -> bool:
    """Whether a value is a tensor as far as the text tells; refused where nobody can tell.

    A value that is the only one that is ever put there is what the container was seen to hold.
    """
    if _is_plain(source, node):
        return False
    if not isinstance(node, _WHOLE):
        raise Refused
    name = dotted(node)
    if not alone and name and not isinstance(node, ast.Call):
        uses = ast.walk(source.function(node))
        owners = (child for child in uses if isinstance(child, ast.Attribute))
        if not any(
            attribute.attr in _OF_TENSORS and dotted(attribute.value) == name
            for attribute in owners
        ):
            raise Refused
    return True


def _is_plain(source: CellSource, node: ast.expr) -> bool:
    """Whether a value is no tensor for sure; refused where it is a container."""
    if isinstance(node, ast.UnaryOp):
        return _is_plain(source, node.operand)
    if isinstance(node, ast.BinOp):
        return _is_plain(source, node.left) and _is_plain(source, node.right)
    if not isinstance(node, ast.Name):
        plain = isinstance(node, (ast.Constant, ast.JoinedStr))
        return plain or bool(_names_behind(node) & _PLAIN)
    around = list(ast.walk(source.function(node)))
    made = values_of(around, node.id)
    if any(isinstance(expression, _CONTAINERS) for expression in made):
        raise Refused
    counts = any(
        isinstance(child, (ast.For, ast.AsyncFor))
        and called(child.iter) in ("range", "enumerate")
        and dotted(next(leaves(child.target))) == node.id
        for child in around
    )
    return counts or any(called(expression) in _PLAIN for expression in made)


def _names_behind(node: ast.AST) -> set[str]:
    """Return the methods and attributes that stand behind a value: `loss.detach().cpu()`."""
    has: set[str] = set()
    while isinstance(node, (ast.Call, ast.Attribute)):
        name = called(node) if isinstance(node, ast.Call) else node.attr
        has |= {name, *(["detach"] if name == "data" else [])}
        function = node.func if isinstance(node, ast.Call) else node
        node = function.value if isinstance(function, ast.Attribute) else function
    return has


@rewriting
def _entries_kept(source: CellSource, container: str) -> None:
    for node in ast.walk(source.tree):
        for expression in values(node, container):
            name, block = dotted(expression), source.body(source.statement(expression))
            place = block.index(source.statement(expression))
            made = [
                n
                for n, one in enumerate(block[:place])
                if isinstance(one, ast.Assign) and assigned(one) == name
            ]
            behind = [one for later in block[place + 1 :] for one in ast.walk(later)]
            again = any(isinstance(one, ast.Name) and one.id == name for one in behind)
            if not isinstance(expression, ast.Name) or not made or again:
                raise Refused
            source.replace(
                expression,
                f'{{k: v.detach() if hasattr(v, "detach") else v for k, v in {name}.items()}}',
            )


def entries_kept(container: str) -> Rewrite:
    """`entries_kept(container)`: of a dict that is appended each tensor is kept without its graph.

    `outs.append(out)` becomes `outs.append({k: v.detach() if hasattr(v, "detach") else v ...})`,
    where `out` is a dict that a function has just made.
    """

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        for expression in [one for node in cell.nodes for one in values(node, container)]:
            if not _is_new_dict(gate, cell, expression):
                return message("keep.no_dict", TEXTS, name=container)
        return None

    return _entries_kept(container).asking(_needs_no_graph((container,)), ask)


def _is_new_dict(gate: Gate, cell: CellCode, value: ast.expr) -> bool:
    """Whether each assignment to a name in its function is a dict, or calls what returns one."""
    function = cell.function(value)
    made = values_of(cell.nodes if function is None else ast.walk(function), dotted(value))
    for expression in made:
        makers = [maker for _, maker in gate.notebook.functions.get(called(expression), ())]
        given = [
            node.value
            for maker in makers
            for node in ast.walk(maker)
            if isinstance(node, (ast.Return, ast.Yield))
        ]
        if not all(isinstance(one, ast.Dict) for one in given or [expression]):
            return False
    return bool(made)


def detached_state(name: str) -> Rewrite:
    """`detached_state("h")`: a hidden state is detached in each step of the loop it goes through.

    At the head of the loop, or at its end where it starts as `None`. It is advice alone: what is
    trained changes.
    """

    def ask(_: Gate, __: CellCode) -> Message | None:
        return message("keep.truncates", TEXTS)

    return _detached_state(name).asking(ask)


@rewriting
def _detached_state(source: CellSource, name: str) -> None:
    loops = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.For, ast.While)) and _carried(source, node, name)
    ]
    if not loops:
        raise Refused
    loop = loops[-1]
    code = f"{name} = {name}.detach()"
    if any(code in line for line in source.lines):
        raise Refused
    given = values_of(ast.walk(source.tree), name)
    if any(isinstance(expression, ast.Constant) for expression in given):
        source.after(loop.body[-1], code)
    else:
        source.before(loop.body[0], code)


def detached_leaf(name: str) -> Rewrite:
    """`detached_leaf("x_adv")`: an input that a loop improves begins each step without a past.

    `x = x.detach().requires_grad_()` at the head of a loop that asks `autograd.grad` for the
    gradient of `x` and makes it anew from that, where nothing else goes back through it.
    """

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        own = [node for node in cell.nodes if _asks(node, name)]
        return gate.detaches(cell, name, besides=own) or is_only_a_value(gate, cell, name)

    return _detached_leaf(name).asking(ask)


@rewriting
def _detached_leaf(source: CellSource, name: str) -> None:
    asked = [node for node in ast.walk(source.tree) if _asks(node, name)]
    if len(asked) != 1:
        raise Refused
    loop = source.loop(asked[0])
    others = [
        expression for expression in backwards(source.function(loop)) if expression is not asked[0]
    ]
    if not _carried(source, loop, name) or others:
        raise Refused
    code = f"{name} = {name}.detach().requires_grad_()"
    if any(code in line for line in source.lines):
        raise Refused
    source.before(loop.body[0], code)


def _asks(node: ast.AST, name: str) -> bool:
    """Whether it is `autograd.grad(loss, name)`."""
    if called(node) != "grad" or not isinstance(node, ast.Call) or len(node.args) < 2:  # noqa: PLR2004  what, and of what
        return False
    return name in {dotted(expression) for expression in leaves(node.args[1])}


def values(node: ast.AST, wanted: str) -> Iterator[ast.expr]:
    """Yield what a node puts into a container."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = dotted(node.func.value)
        inside = (
            owner == wanted or owner.startswith(f"{wanted}[") or _entry(node.func.value, wanted)
        )
        if inside and node.func.attr in ADDS and node.args:
            last = node.args[-1]
            if node.func.attr != "extend":
                yield last
            elif isinstance(last, (ast.ListComp, ast.GeneratorExp)):
                yield last.elt
            else:
                yield from last.elts if isinstance(last, (ast.List, ast.Tuple)) else [last]
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.op, ast.Add) and dotted(node.target) == wanted:
            yield node.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        (target,), value = node.targets, node.value
        if isinstance(target, ast.Subscript) and wanted in (dotted(target.value), dotted(target)):
            yield value
        elif dotted(target) == wanted:
            yield from _joined(value, wanted)


def _joined(value: ast.expr, wanted: str) -> Iterator[ast.expr]:
    """Yield what is joined with the container's old value, or makes up a new one."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        sides = [value.left, value.right]
        if wanted in map(dotted, sides):
            yield from [operand for operand in sides if dotted(operand) != wanted]
    elif isinstance(value, ast.IfExp):
        for expression in (value.body, value.orelse):
            yield from (
                [expression] if isinstance(expression, ast.Name) else _joined(expression, wanted)
            )
    elif isinstance(value, ast.ListComp):
        yield value.elt
    elif isinstance(value, ast.DictComp):
        yield value.value
    elif called(value) in JOINS and isinstance(value, ast.Call) and value.args:
        parts = getattr(value.args[0], "elts", [])
        if wanted in map(dotted, parts):
            yield from [part for part in parts if dotted(part) != wanted]


def _entry(node: ast.expr, wanted: str) -> bool:
    """Whether it is `wanted[k]`, or `wanted.setdefault(k, [])`."""
    if isinstance(node, ast.Call) and called(node) == "setdefault":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
        return dotted(node) == wanted
    return isinstance(node, ast.Subscript) and dotted(node.value) == wanted


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what of an expression is kept: both of `(step, loss)`."""
    if isinstance(node, (ast.Tuple, ast.List)):
        for expression in node.elts:
            yield from _members(expression)
    elif isinstance(node, ast.Dict):
        for expression in node.values:
            yield from _members(expression)
    else:
        yield node


def _append(source: CellSource, node: ast.expr, how: str) -> bool:
    """Write the calls of `how` behind an expression, without those that it has."""
    has = _names_behind(node)
    parts = [f".{each}" for each in how.split(".")[1:] if each.removesuffix("()") not in has]
    if not parts:
        return False
    start, end = source.span(node)
    if isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)):
        source.replace((end, end), "".join(parts))
    else:
        source.replace((start, start), "(")
        source.replace((end, end), f"){''.join(parts)}")
    return True


def _carried(source: CellSource, loop: ast.For | ast.While, name: str) -> bool:
    """Whether a loop reads a name, and gives it another value for its next step."""
    stores = [
        node
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and name in [dotted(one) for expression in node.targets for one in leaves(expression)]
        and source.loop(node) is loop
    ]
    return any(
        dotted(child) == name
        for node in stores
        for child in ast.walk(node.value)
        if isinstance(child, (ast.Name, ast.Attribute))
    )
