"""Evaluate in evaluation mode, and leave the model in the mode that it had."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import dotted, given_to, method, names
from ..code.gate import TEXTS as OF_GATE
from ..code.notebook import CodePlace
from ..code.source import CellSource, Function, Refused, Scope
from ..text.messages import message
from .no_grad import region, waiting
from .rewrite import rewriting, statement_at
from .untrained import taken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {
    "eval_mode.unknown": "No button: which model `{name}` is there, or its mode, cannot be told.",
    "eval_mode.mixed": "No button: parts of `{name}` are in different modes.",
    "eval_mode.parts": "No button: {cell}, line {line} sets the mode of parts of a model.",
    "eval_mode.other": (
        "No button: {cell}, line {line} does other things in evaluation mode: results may be of "
        "another kind."
    ),
    "eval_mode.library": "No button: what `{name}` does in evaluation mode is a library's secret.",
    "eval_mode.meant": (
        "No button: training mode may be meant there ({cell}, line {line}), as for dropout that "
        "is sampled or statistics that are made anew."
    ),
    "eval_mode.trains": "No button: the model may be trained in between, {cell}, line {line}.",
}
KEPT = ("was_training", "mode_before", "training_before")
"""Names that keep the mode; the first that is nobody's is taken."""
# Modules whose models do the same in both modes, but for dropout and normalisation.
_KNOWN = ("torch.nn.", "torch.ao.", "timm.", "transformers.", "torchvision.")
_OTHERWISE = re.compile(r"\.(?:detection|inception|googlenet)\b")
_STATISTICS = ("reset_running_stats", "update_bn", "running_mean", "running_var")


def evaluating(anchor: Anchor, model: str, kept: str = KEPT[0]) -> Rewrite:
    """`evaluating(anchor, model, kept)`: an evaluation around a line is in evaluation mode.

    `was_training = model.training` and `model.eval()` before it, and behind it, however it ends,
    `model.train(was_training)`; `kept` is the name, which has to be nobody's.
    """
    return _evaluated(anchor, model, kept).asking(
        lambda gate, _: gate.binds(kept), partial(_is_as_before, anchor=anchor, model=model)
    )


@rewriting
def _evaluated(source: CellSource, anchor: Anchor, model: str, kept: str) -> None:
    if any(
        dotted(method(node, "eval")) == model
        or (dotted(method(node, "train")) == model and getattr(node, "args", None))
        for node in ast.walk(source.tree)
    ):
        raise Refused
    place = region(source, statement_at(source, anchor))
    source.before(place, f"{kept} = {model}.training", f"{model}.eval()")
    source.wrap(place, place, "try:")
    source.after(place, "finally:", f"{source.unit}{model}.train({kept})")


def _is_as_before(gate: Gate, cell: CellCode, *, anchor: Anchor, model: str) -> Message | None:
    try:
        source = CellSource(cell.source, cell.tree)
        node = region(source, statement_at(source, anchor))
    except Refused:
        return message("gate.not_here", OF_GATE)
    why = gate.makes_no_gradients(cell, node) or _is_known(gate, cell, node, model)
    if why is not None:
        return why
    for said, place in (
        ("eval_mode.parts", _of_parts(gate)),
        ("eval_mode.other", _does_otherwise(gate)),
        ("eval_mode.meant", _meant(gate, cell, node, model)),
        ("eval_mode.trains", _trains(gate, cell, node, model)),
    ):
        if place is not None:
            return place.says(said, TEXTS)
    return None


def _is_known(gate: Gate, cell: CellCode, node: ast.AST, model: str) -> Message | None:
    """Whether the models that a name may mean are alive, in one mode, and do in it as in others."""
    objects = _objects(gate, cell, node, model)
    for name in objects:
        facts = gate.live.models.get(name)
        libraries = (
            [each for each in facts.own if not each.startswith("__main__.")] if facts else []
        )
        if facts is None or facts.training is None:
            return message("eval_mode.mixed", TEXTS, name=name)
        if any(
            not library.startswith(_KNOWN) or _OTHERWISE.search(library) for library in libraries
        ):
            return message("eval_mode.library", TEXTS, name=name)
    return None if objects else message("eval_mode.unknown", TEXTS, name=model)


def _objects(gate: Gate, cell: CellCode, node: ast.AST, model: str) -> set[str]:
    """Return the names of the models that are called by a name in there; empty: unknown."""
    called_so = [
        child.func
        for child in ast.walk(node)
        if isinstance(child, ast.Call) and dotted(child.func) == model
    ]
    owner = cell.owners.get(called_so[0], ("", None))[1] if called_so else None
    if not called_so or (owner is None and "." in model):
        return set()
    if owner is None:
        return {model}
    function, found = owner.node, set[str]()
    own = [use for use in cell.uses if use.owner is owner and use.name == model]
    is_given = all(use.how == "read" or isinstance(use.node, ast.arg) for use in own)
    if not isinstance(function, Function) or not is_given:
        return set()
    for _, call in gate.notebook.calls(function.name):
        values = given_to(call)
        found |= {
            dotted(expression)
            for expression in values
            if taken(function, call, expression) == model
        } or {""}
    return found


def _places(gate: Gate, name: str) -> Iterator[tuple[CellCode, ast.Attribute]]:
    """Yield where an attribute of this name stands, in all cells."""
    for cell, node in gate.notebook.nodes():
        if isinstance(node, ast.Attribute) and node.attr == name:
            yield cell, node


def _of_parts(gate: Gate) -> CodePlace | None:
    """Return where code sets the mode of a part: `train(mode)` would not set again what was."""
    for name in ("eval", "train"):
        for cell, definition in gate.notebook.functions.get(name, ()):
            if isinstance(cell.parent(definition), ast.ClassDef):
                return CodePlace.of(cell, definition)
        for cell, node in _places(gate, name):
            if not _is_whole(gate, cell, node.value):
                return CodePlace.of(cell, node)
    for cell, node in _places(gate, "training"):
        if not isinstance(node.ctx, ast.Load):
            return CodePlace.of(cell, node)
    return None


def _is_whole(gate: Gate, cell: CellCode, owner: ast.expr) -> bool:
    """Whether it is a model as a whole: one that is being made, alive, or given to a function."""
    while isinstance(owner, ast.Call):  # `Net().to(device).eval()`
        if not isinstance(owner.func, ast.Attribute):
            return True
        owner = owner.func.value
    if not isinstance(owner, ast.Name) or owner not in cell.owners:
        return False
    scope = cell.owners[owner][1]
    if scope is not None:
        given = [use for use in cell.uses if use.owner is scope and isinstance(use.node, ast.arg)]
        name = getattr(scope.node, "name", "")
        return owner.id in {use.name for use in given} and gate.notebook.escapes(name) is None
    return owner.id in gate.live.models and not any(
        isinstance(other.parent(use.node), (ast.For, ast.comprehension))
        for other, use in gate.notebook.uses(owner.id)
        if use.how == "bind"
    )


def _does_otherwise(gate: Gate) -> CodePlace | None:
    """Return where a class of the notebook gives something of another kind in evaluation."""
    for cell, node in _places(gate, "training"):
        inner: ast.AST = node
        for parent in cell.parents(node):
            asked = getattr(parent, "test", None) is inner
            if asked and any(
                isinstance(child, (ast.IfExp, ast.Return)) for child in ast.walk(parent)
            ):
                return CodePlace.of(cell, node)
            inner = parent
    return None


def _meant(gate: Gate, cell: CellCode, node: ast.AST, model: str) -> CodePlace | None:
    """Return what speaks for training mode on purpose: draws, statistics, a `train()` before."""
    for name in _STATISTICS:
        for other, attribute in _places(gate, name):
            return CodePlace.of(other, attribute)
    changing = names(node, ast.Store)
    loops = any(
        isinstance(descendant, (ast.For, ast.While, ast.comprehension))
        for descendant in ast.walk(node)
    )
    for child in ast.walk(node):
        if not isinstance(child, ast.Call) or dotted(child.func) != model:
            continue
        # For its effect, as nobody takes what it gives; or the same again and again.
        is_effect = isinstance(cell.parent(child), ast.Expr)
        if is_effect or (loops and not names(ast.Tuple([*child.args], ast.Load())) & changing):
            return CodePlace.of(cell, child)
    for other, statement in _before(gate, cell, node):
        says = [
            descendant
            for descendant in ast.walk(statement)
            if method(descendant, "train") is not None
        ]
        if any(dotted(method(descendant, "train")) == model for descendant in says):
            is_all = isinstance(statement, ast.Expr)
            return CodePlace.of(other, statement) if is_all else None
        if not says and gate.notebook.trains(statement):
            return None
    return None


def _before(gate: Gate, cell: CellCode, node: ast.AST) -> Iterator[tuple[CellCode, ast.stmt]]:
    """Yield the statements before one, the last first: of its block, of those around, of cells."""
    for parent in cell.parents(node):
        for _, value in ast.iter_fields(parent):
            if isinstance(value, list) and node in value:
                yield from [(cell, each) for each in reversed(value[: value.index(node)])]
        if isinstance(parent, Scope):
            return
        node = parent
    cells = gate.notebook.cells
    for other in reversed(cells[: cells.index(cell)]):
        for statement in reversed(other.tree.body if other.tree is not None else []):
            if not isinstance(statement, (*Function, ast.ClassDef)):
                yield other, statement


def _trains(gate: Gate, cell: CellCode, node: ast.AST, model: str) -> CodePlace | None:
    """Return where a piece of code trains the model, hands it on, or waits for others."""
    line = waiting(node)
    if line is None and gate.notebook.trains(node):
        line = getattr(node, "lineno", 1)
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and any(dotted(one) == model for one in child.args):
            line = child.lineno
    return None if line is None else CodePlace(cell, line)
