"""Loading to the host, freezing, gradients that are given back, and a limit that is lifted."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.find import assigned, calls, dotted, keyword
from ..code.source import Refused
from ..code.training import training_step
from .call import set_keyword
from .checkpointing import made
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource

_TRAINED = "{}.requires_grad_(True)"


@rewriting
def loaded_to_host(source: CellSource, torch: str = "torch", name: str | None = None) -> None:
    """`loaded_to_host(torch, name)`: `torch.load(path, map_location="cpu")`.

    For the checkpoint of a name, or for all of a cell.
    """
    for call in calls(source.tree, "load"):
        statement = source.statement(call)
        given = keyword(call, "map_location")
        on_host = given is not None and "cpu" in source.text_of(given.value)
        positional = len(call.args) > 1
        if dotted(call.func) != f"{torch}.load" or on_host or positional:
            continue
        if name is None or assigned(statement) == name:
            set_keyword(source, call, "map_location", '"cpu"')


@rewriting
def frozen(source: CellSource, part: str, *trained: str) -> None:
    """`frozen("model", "model.fc")`: a model is not trained once it is made, but for parts of it.

    Refused where anything is said of `requires_grad` already.
    """
    statement = made(source, re.split(r"[.\[]", part)[0])
    if "requires_grad" in source.text:
        raise Refused
    source.after(statement, f"{part}.requires_grad_(False)", *map(_TRAINED.format, trained))


@rewriting
def gradients_cleared(source: CellSource) -> None:
    """`gradients_cleared()`: `zero_grad()` of a training step comes before its forward pass.

    Behind it the gradients of the step before stand beside all that it keeps. Where they are only
    set to zero they are given back.
    """
    step = training_step(source)
    first, clears = step.forward[0], step.zero_grad
    call = clears.value if isinstance(clears, ast.Expr) else None
    if clears is None or not isinstance(call, ast.Call):
        raise Refused
    given = keyword(call, "set_to_none")
    zeroed = given is not None and source.text_of(given.value) == "False"
    place = step.block.index(clears)
    if step.block.index(first) < place < step.block.index(step.backward) and not zeroed:
        source.before(first, source.text_of(clears))
        source.remove(clears)
    elif zeroed:
        set_keyword(source, call, "set_to_none", "True")


@rewriting
def unlimited(source: CellSource) -> None:
    """`unlimited()`: PyTorch may take all of the card: `set_per_process_memory_fraction(1.0)`."""
    for call in calls(source.tree, "set_per_process_memory_fraction"):
        given = call.args[0] if call.args else getattr(keyword(call, "fraction"), "value", None)
        if given is not None:
            source.replace(given, "1.0")
