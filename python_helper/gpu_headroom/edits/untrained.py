"""Whether a model is left as it is: no optimizer that is alive trains it, and no code may."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted, targets_of, words
from ..code.notebook import CodePlace, is_stored
from ..code.origins import keyword_stars
from ..code.scopes import parameter_of
from ..text.messages import message

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode, Definition
    from ..protocol.wire import Message

TEXTS = {
    "untrained.optimizer": "No button: an optimizer trains `{name}`, or a part of it.",
    "untrained.unknown": "No button: nobody can tell what trains `{name}`.",
    "untrained.used": "No button: {cell}, line {line} may train `{name}`.",
}
# What they return is the model again, or nothing.
_SAME = words("eval train to cuda cpu float double half bfloat16 requires_grad_")
_GIVES_VALUES = words("state_dict load_state_dict zero_grad generate forward")
_PARAMETERS = words("parameters named_parameters buffers named_buffers")
_TELLS = words("print len id type isinstance hasattr str repr")
_COUNTS = words("sum any all max min")
_COLLECTS = words("append extend add update insert setdefault")


def left_alone(gate: Gate, name: str, *but: str, is_to_come: bool = False) -> Message | None:
    """Whether nothing trains a model, but for parts of it such as `model.fc`; why not, if not.

    It counts as trained where it is copied, kept elsewhere or handed to code that is not here. Of
    one that `is_to_come` code alone tells.
    """
    facts = gate.live.models.get(name)
    is_missing = facts is None and not (is_to_come and name not in gate.live.names)
    if is_missing or not gate.live.complete:
        return message("untrained.unknown", TEXTS, name=name)
    parts = tuple([_path(each, name) for each in but])
    if facts is not None and (
        any(not each.startswith(parts) for each in facts.trained)
        or (facts.is_trained and not parts)
    ):
        return message("untrained.optimizer", TEXTS, name=name)
    why = gate.unread()
    if why is not None:
        return why
    uses = _ModelUses(gate, but)
    for cell, use in gate.notebook.uses(name):
        if use.how == "read" and not uses.is_harmless(cell, use.node, name):
            return CodePlace.of(cell, use.node).says("untrained.used", TEXTS, name=name)
    for cell in gate.notebook.cells:
        if name in cell.words:
            return CodePlace(cell, 1).says("untrained.used", TEXTS, name=name)
    return None


def _path(part: str, name: str) -> str:
    """Return how parameters of `net.blocks[3]` begin: `blocks.3.`."""
    inner = part.removeprefix(name).replace("[", ".").replace("]", "")
    return f"{inner.strip('.')}."


class _ModelUses:
    """Where a model stands, and whether it is no more than asked, moved or looked at there."""

    def __init__(self, gate: Gate, but: tuple[str, ...]) -> None:
        self._notebook, self._but = gate.notebook, but
        self._seen = set[tuple[int, str]]()

    def is_harmless(self, cell: CellCode, node: ast.AST, name: str) -> bool:
        """Whether nothing is trained by what is done with a model, or a part of it, there."""
        if is_stored(node) or dotted(node) in self._but:
            return True
        around = list(cell.parents(node))[:3]
        parent = around[0]
        if isinstance(parent, ast.Attribute):
            return self._asked(cell, parent, around[1], name)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return self.is_harmless(cell, parent, name)
        if isinstance(parent, ast.keyword):
            parent = around[1]
        if isinstance(parent, ast.Call):
            return parent.func is node or self._given(parent, node)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = targets_of(parent)
            return all(dotted(expression) == name for expression in targets)
        return isinstance(parent, (ast.Expr, ast.Compare, ast.FormattedValue))

    def _asked(self, cell: CellCode, node: ast.Attribute, outer: ast.AST, name: str) -> bool:
        if not (isinstance(outer, ast.Call) and outer.func is node):
            return self.is_harmless(cell, node, name)  # a part of it
        if node.attr in _GIVES_VALUES:
            return True
        if node.attr in _PARAMETERS:
            return _only_gone_through(cell, outer)
        if node.attr in _SAME:
            return self.is_harmless(cell, outer, name)
        return False

    def _given(self, call: ast.Call, node: ast.AST) -> bool:
        """Whether a function leaves alone what it is given."""
        name = called(call)
        if isinstance(call.func, ast.Name) and name in _TELLS:
            return True
        definitions = self._notebook.functions.get(name, ())
        if not definitions or name in self._notebook.classes:
            return False
        return all(
            (parameter := taken(definition, call, node)) is not None
            and self._inside(other, definition, parameter)
            for other, definition in definitions
        )

    def _inside(self, cell: CellCode, definition: Definition, parameter: str) -> bool:
        key = (id(definition), parameter)
        if key in self._seen:
            return True
        self._seen.add(key)
        return all(
            self.is_harmless(cell, use.node, parameter)
            for use in cell.uses
            if use.name == parameter
            and use.how == "read"
            and use.owner is not None
            and use.owner.node is definition
        )


def taken(definition: Definition, call: ast.Call, node: ast.AST) -> str | None:
    """Return the parameter that a function takes an argument of a call as."""
    if keyword_stars(call) or any(isinstance(expression, ast.Starred) for expression in call.args):
        return None
    parameter = parameter_of(definition, call, node)
    return None if parameter is None else parameter.arg


def _only_gone_through(cell: CellCode, call: ast.AST) -> bool:
    """Whether a loop goes over parameters and keeps none of them, or they are counted."""
    node, *around = [call, *cell.parents(call)]
    for parent in around:
        if isinstance(parent, ast.Call) and called(parent) in ("zip", "enumerate"):
            node = parent
            continue
        if isinstance(parent, ast.For) and parent.iter is node:
            return not any(
                called(child) in _COLLECTS or getattr(child, "attr", "") == "grad"
                for inner in parent.body
                for child in ast.walk(inner)
            )
        if isinstance(parent, ast.comprehension) and parent.iter is node:
            made = next(child for child in cell.parents(parent))
            outer = next(cell.parents(made))
            return isinstance(outer, ast.Call) and called(outer) in _COUNTS
        return False
    return False
