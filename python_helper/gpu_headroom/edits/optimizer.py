"""An optimizer that takes less memory, and whose parameters it has."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, called, dotted, keyword, method
from ..code.source import Refused
from .call import remove_keyword, set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.source import CellSource

_OPTIMIZERS = frozenset(
    ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "SGD", "ASGD")
)
_KINDS = ("Adam", "AdamW", "SGD", "LBFGS", "Lion", "Adafactor", "8bit", "Optimizer", "prop")
_ADAM = ("Adam", "AdamW")
_OF_ADAM = ("betas", "eps", "amsgrad", "fused", "capturable", "differentiable", "foreach")
_KEPT = {"lr", "weight_decay", "maximize", *_OF_ADAM}


@rewriting
def one_by_one(source: CellSource) -> None:
    """`one_by_one()`: `foreach=False`: an optimizer handles one parameter after the other."""
    call = _only(source.tree, *_OPTIMIZERS)
    if keyword(call, "foreach") is not None or keyword(call, "fused") is not None:
        raise Refused
    set_keyword(source, call, "foreach", "False")


@rewriting
def factored(source: CellSource, torch: str = "torch") -> None:
    """`factored(torch)`: `Adafactor` in the place of `Adam`: rows and columns instead of all."""
    call = _only(source.tree, *_ADAM)
    given = {each.arg for each in call.keywords}
    if len(call.args) > 2 or not given <= _KEPT:  # noqa: PLR2004  parameters and learning rate
        raise Refused
    function = call.func
    name = f"{torch}.optim.Adafactor" if isinstance(function, ast.Name) else "Adafactor"
    end = source.span(function)[1]
    source.replace((end - len(called(call)), end), name)
    for each in _OF_ADAM:
        if each in given:
            remove_keyword(source, call, each)


def makes_optimizer(call: ast.AST) -> bool:
    """Return whether a call makes an optimizer, as far as its name tells."""
    return called(call) in {*_OPTIMIZERS, "Adafactor"} or called(call).endswith(_KINDS)


def owners(tree: ast.AST) -> set[str] | None:
    """Return what the optimizers of a cell train: `model.fc` of `Adam(model.fc.parameters())`.

    `None` where that is not certain.
    """
    found = set[str]()
    for call in _made(tree, *_OPTIMIZERS, "Adafactor"):
        given = call.args[0] if call.args else getattr(keyword(call, "params"), "value", None)
        if isinstance(given, ast.Name):
            given = next((each for each in _values(tree, given.id)), given)
        parameters = [each for each in ast.walk(given or call) if isinstance(each, ast.Call)]
        names = {dotted(method(each, "parameters")) for each in parameters}
        if not names or "" in names or given is None:
            return None
        found |= names
    return found


def _values(tree: ast.AST, name: str) -> list[ast.expr]:
    """Return what a name is given, where that is one thing."""
    found = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and assigned(node) == name
    ]
    return found if len(found) == 1 else []


def _only(tree: ast.AST, *names: str) -> ast.Call:
    found = list(_made(tree, *names))
    if len(found) != 1:
        raise Refused
    return found[0]


def _made(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Yield the calls that make an optimizer."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in names and dotted(node.func):
            yield node
