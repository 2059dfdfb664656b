"""An optimizer that takes less memory, and whose parameters it has."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import assigned, called, calls, dotted, keyword, method, values_of, words
from ..code.notebook import CodePlace
from ..code.source import Refused
from ..text.messages import message
from .call import remove_keyword, set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "optimizer.other": "No button: `{name}` is not certainly an optimizer of PyTorch.",
    "optimizer.stepped": "No button: `{name}` has made steps, of which a new one would not know.",
    "optimizer.read": (
        "No button: {cell}, line {line} looks at `{name}`, which would be missing or another."
    ),
}
_READ = words("betas eps amsgrad exp_avg exp_avg_sq momentum max_exp_avg_sq param_groups")
_CYCLES = ("OneCycleLR", "CyclicLR", "add_param_group", "state_dict_hook")
_OPTIMIZERS = words("Adam AdamW NAdam RAdam Adamax Adagrad Adadelta RMSprop SGD ASGD")
_KINDS = ("Adam", "AdamW", "SGD", "LBFGS", "Lion", "Adafactor", "8bit", "Optimizer", "prop")
_ADAM = ("Adam", "AdamW")
_OF_ADAM = ("betas", "eps", "amsgrad", "fused", "capturable", "differentiable", "foreach")
_KEPT = {"lr", "weight_decay", "maximize", *_OF_ADAM}


def one_by_one(*, has_stepped: bool = False) -> Rewrite:
    """`one_by_one()`: `foreach=False`: an optimizer handles one parameter after the other.

    `has_stepped`: optimizers have a state that a new one would not have.
    """
    return _one_by_one().asking(partial(_may_be_made_anew, has_stepped=has_stepped))


def factored(torch: str = "torch", *, has_stepped: bool = False) -> Rewrite:
    """`factored(torch)`: `Adafactor` in the place of `Adam`: rows and columns instead of all.

    Refused where other code looks for what only `Adam` has. `has_stepped` as in `one_by_one`.
    """
    asked = partial(_may_be_made_anew, has_stepped=has_stepped)
    return _factored(torch).asking(asked, _looks_at_adam)


@rewriting
def _one_by_one(source: CellSource) -> None:
    call = _only(source.tree, *_OPTIMIZERS)
    if keyword(call, "foreach") is not None or keyword(call, "fused") is not None:
        raise Refused
    set_keyword(source, call, "foreach", "False")


@rewriting
def _factored(source: CellSource, torch: str = "torch") -> None:
    call = _only(source.tree, *_ADAM)
    options = {option.arg for option in call.keywords}
    groups = any(isinstance(node, (ast.Dict, ast.ListComp)) for node in ast.walk(call))
    if len(call.args) > 2 or not options <= _KEPT or groups:  # noqa: PLR2004  parameters and rate
        raise Refused
    function = call.func
    name = f"{torch}.optim.Adafactor" if isinstance(function, ast.Name) else "Adafactor"
    end = source.span(function)[1]
    source.replace((end - len(called(call)), end), name)
    for each in _OF_ADAM:
        if each in options:
            remove_keyword(source, call, each)


def _may_be_made_anew(gate: Gate, cell: CellCode, *, has_stepped: bool) -> Message | None:
    """Whether it is PyTorch's optimizer, and has learnt nothing that a new one would not know."""
    why = gate.unread()
    if why is not None:
        return why
    call = next(iter(_made(cell.tree, *_OPTIMIZERS)), None) if cell.tree is not None else None
    if call is None:
        return None  # the edit is one of a trainer's flags
    owner = dotted(call.func).partition(".")[0]
    if not any(_is_torchs(node, owner) for _, node in gate.notebook.nodes()):
        return message("optimizer.other", TEXTS, name=dotted(call.func))
    statement = cell.around(call)
    name = "" if statement is None else assigned(statement)
    if has_stepped or (name in gate.live.stepped if name else bool(gate.live.stepped)):
        return message("optimizer.stepped", TEXTS, name=name or called(call))
    for other, node in gate.notebook.calls("load_state_dict"):
        if dotted(method(node, "load_state_dict")) == name:
            return CodePlace.of(other, node).says("optimizer.read", TEXTS, name=name)
    return None


def _looks_at_adam(gate: Gate, _: CellCode) -> Message | None:
    """Whether no code needs what only `Adam` has: momentum, its state, sparse gradients."""
    for cell, node in gate.notebook.nodes():
        text = str(node.value) if isinstance(node, ast.Constant) else ""
        attribute = node.attr if isinstance(node, ast.Attribute) else ""
        sparse = isinstance(node, ast.Call) and keyword(node, "sparse") is not None
        if (
            text in _READ
            or attribute
            in ("defaults", "param_groups", "add_param_group", "register_step_post_hook")
            or (attribute == "state" and not isinstance(getattr(node, "ctx", None), ast.Store))
            or (isinstance(node, ast.Call) and called(node) in _CYCLES)
            or sparse
        ):
            name = text or attribute or (called(node) if not sparse else "sparse")
            return CodePlace.of(cell, node).says("optimizer.read", TEXTS, name=name)
    return None


def _is_torchs(node: ast.AST, name: str) -> bool:
    """Whether a statement imports a name from PyTorch."""
    if isinstance(node, ast.Import):
        return any(
            (alias.asname or alias.name).partition(".")[0] == name
            and alias.name.startswith("torch")
            for alias in node.names
        )
    return (
        isinstance(node, ast.ImportFrom)
        and (node.module or "") in ("torch", "torch.optim")
        and any((alias.asname or alias.name) == name for alias in node.names)
    )


def makes_optimizer(call: ast.AST) -> bool:
    """Return whether a call makes an optimizer, as far as its name tells."""
    return called(call) in {*_OPTIMIZERS, "Adafactor"} or called(call).endswith(_KINDS)


def owners(tree: ast.AST) -> set[str] | None:
    """Return what the optimizers of a cell train: `model.fc` of `Adam(model.fc.parameters())`.

    `None` where that is not certain.
    """
    found = set[str]()
    for call in _made(tree, *_OPTIMIZERS, "Adafactor"):
        trained = call.args[0] if call.args else getattr(keyword(call, "params"), "value", None)
        if isinstance(trained, ast.Name):
            trained = next((expression for expression in _values(tree, trained.id)), trained)
        parameters = [node for node in ast.walk(trained or call) if isinstance(node, ast.Call)]
        names = {dotted(method(parameter, "parameters")) for parameter in parameters}
        if not names or "" in names or trained is None:
            return None
        found |= names
    return found


def _values(tree: ast.AST, name: str) -> list[ast.expr]:
    """Return what a name is given, where that is one thing."""
    expressions = values_of(ast.walk(tree), name)
    return expressions if len(expressions) == 1 else []


def _only(tree: ast.AST, *names: str) -> ast.Call:
    found = _made(tree, *names)
    if len(found) != 1:
        raise Refused
    return found[0]


def _made(tree: ast.AST, *names: str) -> list[ast.Call]:
    """Return the calls that make an optimizer."""
    return [call for call in calls(tree, *names) if dotted(call.func)]
