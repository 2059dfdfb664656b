"""Gradient checkpointing by the flag of the library that a model is from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, dotted, keyword, method
from .rewrite import rewriting
from .source import NotApplicableError

if TYPE_CHECKING:
    from .source import CellSource

_REENTERS = '{"use_reentrant": False}'
# With the older way frozen embeddings leave all that is computed from them without gradients.
_OPTIONS = {
    "gradient_checkpointing_enable": f"gradient_checkpointing_kwargs={_REENTERS}",
    "enable_gradient_checkpointing": "",
    "set_grad_checkpointing": "",
}
_MOVES = ("to", "cuda", "train")


@rewriting
def checkpointed(source: CellSource, model: str, flag: str) -> None:
    """`checkpointed("model", "set_grad_checkpointing")`: turn it on once the model is made."""
    if source.calls(flag):
        raise NotApplicableError
    source.after(_made(source, model), f"{model}.{flag}({_OPTIONS[flag]})")


@rewriting
def trainer_checkpointed(source: CellSource, arguments: str) -> None:
    """`trainer_checkpointed("args")`: the same as an argument of `TrainingArguments`."""
    statement = _assigned(source, arguments)
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call) or keyword(call, "gradient_checkpointing_kwargs"):
        raise NotApplicableError
    source.set_keyword(call, "gradient_checkpointing", "True")
    if keyword(call, "gradient_checkpointing") is None:
        source.set_keyword(call, "gradient_checkpointing_kwargs", _REENTERS)


def _assigned(source: CellSource, name: str) -> ast.Assign | ast.AnnAssign:
    """Return the last statement of the cell itself that makes something under a name by a call."""
    assignments = [
        node
        for node in source.tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and assigned(node) == name
        and isinstance(node.value, ast.Call)
    ]
    if not assignments:
        raise NotApplicableError
    return assignments[-1]


def _made(source: CellSource, name: str) -> ast.stmt:
    """Return the statement behind which a model is there: it is made, and moved."""
    last = _assigned(source, name)
    if any(dotted(method(last.value, move)) == name for move in _MOVES):
        inits = [node for node in source.tree.body if assigned(node) == name and node is not last]
        if not inits:
            raise NotApplicableError  # it is only moved here
    after = [
        node
        for node in source.tree.body
        if isinstance(node, ast.Expr)
        and any(dotted(method(node.value, move)) == name for move in _MOVES)
    ]
    return max([last, *after], key=lambda node: node.lineno)
