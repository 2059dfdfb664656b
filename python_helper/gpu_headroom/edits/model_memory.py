"""Loading to the host, and freezing."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import assigned, called, calls, dotted, keyword, method, root_of
from ..code.notebook import CodePlace, is_stored
from ..code.source import Refused
from ..text.messages import message
from .call import set_keyword
from .checkpointing import made
from .rewrite import rewriting
from .untrained import left_alone

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.scopes import Scope
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "freeze.frozen": "No button: a part of `{name}` is frozen already.",
    "freeze.looked_at": "No button: gradients of `{name}` may be needed in {cell}, line {line}.",
    "load.used": "No button: what is loaded may be computed with in {cell}, line {line}.",
    "freeze.no_backward": "No button: what computes gradients is not in the notebook.",
}
# What gradients, or whether they are wanted, are asked by; a copy would be frozen as well.
_LOOKS = re.compile(
    r"(?!(?:zero_|no_|enable_|set_)grad|set_grad_enabled).*(?:grad|hook|checkpoint|deepcopy|Trainer)"
)
_PLAIN = re.compile(r"epoch|iter|acc|loss|score|config|args|version|^step|^best$", re.IGNORECASE)
_TRAINED = "{}.requires_grad_(True)"


def loaded_to_host(torch: str = "torch", name: str | None = None) -> Rewrite:
    """`loaded_to_host(torch, name)`: `torch.load(path, map_location="cpu")`.

    For the checkpoint of a name, or for all of a cell. Refused where more is done with it than to
    load states of it, and to read plain entries such as the epoch.
    """
    return _loaded_to_host(torch, name).asking(partial(_only_loads, torch=torch, name=name))


@rewriting
def _loaded_to_host(source: CellSource, torch: str, name: str | None) -> None:
    for call in _loads(source.tree, torch):
        statement = source.statement(call)
        given = keyword(call, "map_location")
        on_host = given is not None and "cpu" in source.text_of(given.value)
        if not on_host and (name is None or assigned(statement) == name):
            set_keyword(source, call, "map_location", '"cpu"')


def _loads(tree: ast.AST, torch: str) -> list[ast.Call]:
    return [
        call
        for call in calls(tree, "load")
        if dotted(call.func) == f"{torch}.load" and len(call.args) == 1
    ]


def _only_loads(gate: Gate, cell: CellCode, *, torch: str, name: str | None) -> Message | None:
    why = gate.unread()
    own = gate.notebook.functions.get("load_state_dict")
    for call in _loads(cell.tree or ast.Module([], []), torch):
        parent = cell.parent(call)
        target = assigned(parent) if parent is not None else ""
        if name is not None and target != name:
            continue
        places: list[tuple[CellCode, ast.AST]] = [(cell, call)]
        if target:
            scope = next((use.owner for use in cell.uses if _is_target(use.node, parent)), None)
            places = _read(gate, cell, scope, target)
        for other, node in places:
            if own or not _loads_only(other, node):
                return CodePlace.of(other, node).says("load.used", TEXTS)
    return why


def _is_target(node: ast.AST, statement: ast.AST | None) -> bool:
    return statement is not None and node in ast.walk(statement) and is_stored(node)


def _read(
    gate: Gate, cell: CellCode, scope: Scope | None, name: str
) -> list[tuple[CellCode, ast.AST]]:
    """Return where a name is read that a cell, or a function in it, has given a value."""
    uses = gate.notebook.uses_of(cell, name, scope)
    said = [each for each in gate.notebook.cells if scope is None and name in each.words]
    found = [(other, use.node) for other, use in uses if use.how == "read"]
    return [*found, *[(each, ast.Pass()) for each in said]]


def _loads_only(cell: CellCode, node: ast.AST) -> bool:
    """Whether a checkpoint, or an entry of it, is no more than loaded or looked at."""
    parent = cell.parent(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        options = {option.arg for option in parent.keywords}
        owner = dotted(method(parent, "load_state_dict")).lower()
        if called(parent) == "load_state_dict":
            return bool(owner) and "ema" not in owner and options <= {"strict"}
        return dotted(parent.func) in ("print", "len", "type", "sorted", "list")
    if isinstance(parent, ast.Attribute):
        return parent.attr == "keys"
    if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant):
        is_plain = _PLAIN.search(str(parent.slice.value)) is not None
        return isinstance(parent.ctx, ast.Load) and (is_plain or _loads_only(cell, parent))
    is_looked_at = isinstance(parent, ast.Compare) and parent.left is not node
    return is_looked_at or isinstance(parent, (ast.FormattedValue, ast.Delete, ast.Expr))


def frozen(part: str, *trained: str) -> Rewrite:
    """`frozen("model", "model.fc")`: a model is not trained once it is made, but for parts of it.

    Refused where anything is said of `requires_grad` already, where code looks at gradients, or
    where an optimizer has anything but these parts, by whatever name.
    """
    return _frozen(part, *trained).asking(
        lambda gate, _: left_alone(gate, part, *trained),
        lambda gate, _: _is_not_looked_at(gate, part, trained),
    )


def _is_not_looked_at(gate: Gate, part: str, trained: tuple[str, ...]) -> Message | None:
    """Whether no code asks for gradients but a backward pass, which comes to what is trained."""
    facts, taint = gate.live.models[part], gate.taint
    if facts.is_frozen and trained:
        return message("freeze.frozen", TEXTS, name=part)
    starts = {model for model in gate.live.models if gate.live.models[model].is_trained}
    reached = taint.derived(("name", None, start) for start in starts)
    back = 0
    for cell, node in gate.notebook.nodes():
        said = getattr(node, "attr", "") or getattr(node, "id", "") or getattr(node, "arg", "")
        looks = isinstance(said, str) and _LOOKS.match(said) is not None
        if called(node) in ("backward", "manual_backward") and isinstance(node, ast.Call):
            back += 1
            owner = method(node, called(node))
            given = [expression for expression in (owner, *node.args) if expression is not None]
            looks |= not any(taint.slots(cell, expression) & reached for expression in given)
        if looks:
            return CodePlace.of(cell, node).says("freeze.looked_at", TEXTS, name=part)
    return None if back else message("freeze.no_backward", TEXTS)


@rewriting
def _frozen(source: CellSource, part: str, *trained: str) -> None:
    statement = made(source, root_of(part))
    if "requires_grad" in source.text:
        raise Refused
    turned = [f"{part}.requires_grad_(False)", *map(_TRAINED.format, trained)]
    source.after_unshown(statement, *turned)
