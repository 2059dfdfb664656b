"""Loading to the host, freezing, and gradients that are given back."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .call import set_keyword
from .checkpointing import made
from .find import assigned, calls, dotted, keyword, method
from .rewrite import rewriting
from .source import Loop, Refused

if TYPE_CHECKING:
    from .source import CellSource


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
def frozen(source: CellSource, part: str) -> None:
    """`frozen("model.backbone")`: a part of a model is not trained, once the model is made."""
    statement = made(source, re.split(r"[.\[]", part)[0])
    line = f"{part}.requires_grad_(False)"
    if line in source.text:
        raise Refused
    source.after(statement, line)


@rewriting
def gradients_cleared(source: CellSource, optimizer: str) -> None:
    """`gradients_cleared(optimizer)`: `optimizer.zero_grad(set_to_none=True)` behind each step.

    Where gradients are set to zero, they are given back instead; where nothing clears them in the
    loop, a line is inserted.
    """
    clears = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and dotted(method(node, "zero_grad")) == optimizer
    ]
    for call in clears:
        given = keyword(call, "set_to_none")
        if given is not None and source.text_of(given.value) == "False":
            set_keyword(source, call, "set_to_none", "True")
    if clears:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and dotted(method(node.value, "step")) == optimizer:
            if not any(isinstance(each, Loop) for each in source.parents(node)):
                raise Refused
            source.after(node, f"{optimizer}.zero_grad(set_to_none=True)")
