"""Evaluate without gradients: nothing that trains may come of what is made there."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import called, dotted, given_to, keyword, mentions, names, targets_of, under, words
from ..code.flow import WITHOUT, backwards, evaluates, reaches_backward, trains
from ..code.gate import TEXTS as OF_GATE
from ..code.notebook import CodePlace, is_stored
from ..code.source import CellSource, Function, Loop, Refused, Scope
from ..text.messages import message
from .optimizer import makes_optimizer
from .rewrite import rewriting, statement_at
from .untrained import left_alone

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.taint import Slot
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {
    "no_grad.kept": (
        "No button: a model or a hook keeps what it computes ({cell}, line {line}), and gradients "
        "may be computed of that."
    ),
    "no_grad.input": "No button: gradients may go through `{name}` to what it is given.",
    "no_grad.no_model": "No button: the line asks no model that has a name.",
    "no_grad.method": "No button: there are several functions called `{name}`.",
    "no_grad.waits": "No button: others run while it waits, line {line}.",
}
_WAITS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
_KEEPS = words("append extend add insert update put setdefault copy_")


def without_gradients(anchor: Anchor, torch: str = "torch", *, constant: bool = False) -> Rewrite:
    """`without_gradients(anchor, torch)`: evaluation around a line keeps no graph.

    A function whose name says that it evaluates is decorated (one line), as is that of an anchor
    at its `def`; else the loop around the line is wrapped if nothing is trained in it, else its
    statement. `torch` is the name that PyTorch is imported under.
    Refused where gradients are computed of what is made there, by whatever cell; with `constant`,
    which says that nothing there is trained (a teacher, a frozen backbone), the statement is
    wrapped, once it is proven that neither the model nor what it is given is trained.
    """
    asked = partial(_is_not_needed, anchor=anchor, constant=constant)
    return _wrapped(anchor, f"{torch}.no_grad()", constant=constant).asking(asked)


@rewriting
def _wrapped(source: CellSource, anchor: Anchor, header: str, *, constant: bool) -> None:
    node = _place(source, anchor, constant=constant)
    if isinstance(node, Function):
        source.decorate(node, header)
    else:
        source.wrap(node, node, f"with {header}:")


def _place(source: CellSource, anchor: Anchor, *, constant: bool) -> ast.stmt:
    """Return the function to decorate, or the statement to wrap."""
    statement = statement_at(source, anchor)
    if under(iter([statement, *source.parents(statement)]), *WITHOUT):
        raise Refused
    if constant and not isinstance(statement, Function) and not backwards(statement):
        return statement
    function = statement if isinstance(statement, Function) else source.function(statement)
    asked = function is statement or evaluates(getattr(function, "name", ""))
    if asked and isinstance(function, Function) and not trains(function):
        return function
    return region(source, statement)


def _is_not_needed(gate: Gate, cell: CellCode, *, anchor: Anchor, constant: bool) -> Message | None:
    try:
        node = _place(CellSource(cell.source, cell.tree), anchor, constant=constant)
    except Refused:
        return message("gate.not_here", OF_GATE)
    waits = None if isinstance(node, Function) else waiting(node)
    if waits is not None:
        return message("no_grad.waits", TEXTS, line=waits)
    if constant and not isinstance(node, Function):
        return gate.unread() or _is_constant(gate, cell, node)
    if isinstance(node, Function):
        if len(gate.notebook.functions.get(node.name, ())) > 1:
            return message("no_grad.method", TEXTS, name=node.name)
        why = gate.wraps(cell, node)
    else:
        why = gate.makes_no_gradients(cell, node)
    return why or _is_not_kept(gate, node)


def waiting(node: ast.AST) -> int | None:
    """Return the line where others run in between: at a `yield`, or an `await`."""
    nodes = [child for child in ast.walk(node) if isinstance(child, _WAITS)]
    return nodes[0].lineno if nodes else None


def _is_not_kept(gate: Gate, node: ast.AST) -> Message | None:
    """Whether no model and no hook keeps for later what it computes in there."""
    notebook = gate.notebook
    parts = [*notebook.reached(node)]
    for cell, definition in notebook.functions.get("forward", ()):
        parts += [(cell, definition), *notebook.reached(definition)]
    for cell, call in notebook.nodes():
        if called(call).startswith("register_") and called(call).endswith("hook"):
            parts += [(cell, call), *_given(gate, call)]
    models: set[Slot] = {("name", None, name) for name in gate.live.models}
    for known, part in parts:
        if known is None or isinstance(part, ast.ClassDef) or _is_constructor(part):
            continue
        for child in ast.walk(part):
            slots = _kept_by(gate, known, child)
            if slots and gate.taint.needed({*slots, *models}) is not None:
                return CodePlace.of(known, child).says("no_grad.kept", TEXTS)
    return None


def _given(gate: Gate, call: ast.AST) -> list[tuple[CellCode | None, ast.AST]]:
    """Return the functions of the notebook that a call names."""
    said = names(call) | {getattr(node, "attr", "") for node in ast.walk(call)}
    return [each for name in said for each in gate.notebook.functions.get(name, ())]


def _is_constructor(node: ast.AST) -> bool:
    return getattr(node, "name", "") == "__init__"


def _kept_by(gate: Gate, cell: CellCode, node: ast.AST) -> set[Slot]:
    """Return the places beyond a function that a piece of it puts a value with a graph into."""
    taint = gate.taint
    found: set[Slot] = set()
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
        given = targets_of(node)
        if taint.slots(cell, node.value):
            for expression in given:
                found |= taint.targets(cell, expression)
    elif isinstance(node, ast.Call) and called(node) in _KEEPS:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        values = given_to(node)
        if any(taint.slots(cell, value) for value in values):
            found |= taint.targets(cell, owner)
    return {each for each in found if each[1] is None}


def _is_constant(gate: Gate, cell: CellCode, node: ast.AST) -> Message | None:
    """Whether a statement asks models that nothing trains, for what nothing trains."""
    models = {
        child.func.id
        for child in ast.walk(node)
        if isinstance(child, ast.Call)
        and isinstance(child.func, ast.Name)
        and child.func.id in gate.live.models
        and cell.owners.get(child.func, ("", None))[1] is None
    }
    if not models:
        return message("no_grad.no_model", TEXTS)
    for name in sorted(models):
        why = left_alone(gate, name)
        if why is not None:
            return why
    trained = gate.taint.derived(_trained(gate))
    reads = [
        child for child in ast.walk(node) if isinstance(child, ast.expr) and not is_stored(child)
    ]
    slots = {slot for expression in reads for slot in gate.taint.slots(cell, expression)}
    if slots & trained:
        return message("no_grad.input", TEXTS, name=min(models))
    return _is_not_kept(gate, node) if gate.notebook.functions.get("forward") else None


def _trained(gate: Gate) -> set[Slot]:
    """Return the places of all that is trained: models, parameters, what asks for gradients."""
    alive, taint = gate.live, gate.taint
    found: set[Slot] = {
        ("name", None, model) for model in alive.models if alive.models[model].is_trained
    }
    found |= {
        ("name", None, tensor) for tensor in alive.tensors if alive.tensors[tensor].requires_grad
    }
    for cell, node in gate.notebook.nodes():
        if isinstance(node, ast.Call) and makes_optimizer(node):
            for expression in node.args:
                found |= taint.slots(cell, expression)
        if (
            isinstance(node, ast.Call)
            and called(node) == "requires_grad_"
            and not (node.args and getattr(node.args[0], "value", None) is False)
        ):
            found |= taint.slots(cell, node.func)
        if (
            isinstance(node, (ast.Assign, ast.AnnAssign))
            and node.value is not None
            and any(
                called(child) == "Parameter"
                or (isinstance(child, ast.Call) and keyword(child, "requires_grad") is not None)
                for child in ast.walk(node.value)
            )
        ):
            for target in targets_of(node):
                found |= taint.targets(cell, target)
        if isinstance(node, ast.Attribute) and node.attr == "requires_grad" and is_stored(node):
            found |= taint.slots(cell, node.value)
    return found


def region(source: CellSource, statement: ast.stmt) -> ast.stmt:
    """Return the loop around a statement if it trains nothing, else the statement."""
    if trains(statement) or isinstance(statement, (*Function, ast.ClassDef)):
        raise Refused
    child = statement
    loop = next(
        (
            descendant
            for descendant in source.parents(statement)
            if isinstance(descendant, (*Loop, *Scope))
        ),
        None,
    )
    if isinstance(loop, Loop) and not trains(loop) and not _shares(loop, statement):
        child = loop
    function = source.function(child)
    made = names(child, ast.Store)
    returns = [node for node in ast.walk(function) if isinstance(node, (ast.Return, ast.Yield))]
    given = isinstance(child, ast.Return) or any(
        node.value is not None and mentions(node.value, made) for node in returns
    )
    if given and isinstance(function, Function) and not evaluates(function.name):
        raise Refused  # whoever calls it may want gradients
    if reaches_backward(source, child):
        raise Refused
    if not any(called(node) for node in ast.walk(child)):
        raise Refused
    return child


def _shares(loop: ast.For | ast.While, statement: ast.stmt) -> bool:
    """Whether another call of a loop is given what a statement uses, a model: it may train it."""
    used = names(statement) - names(loop, ast.Store)
    own = set(ast.walk(statement))
    return any(
        isinstance(node, ast.Call) and any(dotted(expression) in used for expression in node.args)
        for node in ast.walk(loop)
        if node not in own
    )
