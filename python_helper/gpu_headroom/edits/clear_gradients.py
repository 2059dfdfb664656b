"""Gradients that are given back before the next forward pass."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import keyword, names
from ..code.notebook import CodePlace
from ..code.pure import ANY_LAYER, LIBRARIES, Doubt, Pure
from ..code.source import CellSource, Refused
from ..code.training import training_step
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "clear-gradients.looks": (
        "No button: {cell}, line {line} may look at the gradients of the step before, or skip one."
    ),
    "clear-gradients.class": "No button: `{name}` may look at the gradients of the step before.",
}


@rewriting
def _cleared(source: CellSource) -> None:
    step = training_step(source)
    first, clears = step.forward[0], step.zero_grad
    call = clears.value if isinstance(clears, ast.Expr) else None
    if clears is None or not isinstance(call, ast.Call):
        raise Refused
    given = keyword(call, "set_to_none")
    if given is not None and source.text_of(given.value) == "False":
        raise Refused  # they stay, and take as much
    place = step.block.index(clears)
    if not step.block.index(first) < place < step.block.index(step.backward):
        raise Refused
    start, end = source.span(clears)
    source.before(first, source.text[start : source.line_end(end)].rstrip())
    source.remove(clears)


def gradients_cleared() -> Rewrite:
    """`gradients_cleared()`: `zero_grad()` of a training step comes before its forward pass.

    Behind it the gradients of the step before stand beside all that it keeps.
    """
    return _cleared().asking(_nobody_looks)


def _nobody_looks(gate: Gate, cell: CellCode) -> Message | None:
    """Whether what stands between the two places only computes, and sees no gradients."""
    why = gate.unread()
    if why is not None:
        return why
    try:
        step = training_step(CellSource(cell.source, cell.tree))
        clears = step.zero_grad or step.backward
        between = step.block[step.block.index(step.forward[0]) : step.block.index(clears)]
        pure = Pure(gate.notebook, gate.live, ANY_LAYER, LIBRARIES)
        pure.of_block(cell, between)
        name = pure.modules()
        odd = [
            (cell, child)
            for child in between
            if not isinstance(child, ast.Assign) or names(child, ast.Store) & names(clears)
        ]
        odd += gate.notebook.functions.get("zero_grad", ())
    except Doubt as doubt:
        return doubt.place.says("clear-gradients.looks", TEXTS)
    except Refused:
        return CodePlace(cell, 1).says("clear-gradients.looks", TEXTS)
    for where, statement in odd:
        return CodePlace.of(where, statement).says("clear-gradients.looks", TEXTS)
    return None if name is None else message("clear-gradients.class", TEXTS, name=name)
