"""What a training step in a plain loop is made of."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .find import called, dotted, method, names, words
from .flow import leaves
from .source import Refused

if TYPE_CHECKING:
    from .source import CellSource

# Calls that move or make data, and compute nothing.
MAKES = words(
    """to cuda len range items float rand randn randint zeros ones empty full arange tensor
    as_tensor from_numpy"""
)
_MOVES = MAKES | words("zero_grad next train eval rand_like randn_like zeros_like ones_like")
_FUNCTIONS = words("torch F nn np sum len print zip float int max min")


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """The statements of one step, which are all in one block of one loop.

    `forward` is where the loss is computed, from its first statement to its last; `loss` is the
    code that `backward` is called on.
    """

    loop: ast.For | ast.While
    block: list[ast.stmt]
    forward: tuple[ast.stmt, ast.stmt]
    loss: ast.expr
    backward: ast.stmt
    step: ast.stmt | None
    zero_grad: ast.stmt | None


def training_step(source: CellSource) -> TrainingStep:
    """Return the only training step of a cell; refuse where there is none, or another."""
    found = [
        (node, value)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Expr) and (value := method(node.value, "backward")) is not None
    ]
    if len(found) != 1:
        raise Refused
    backward, loss = found[0]
    block, loop = source.body(backward), source.loop(backward)
    end = block.index(backward)
    needed, first, last = names(loss), None, None
    for n in range(end - 1, -1, -1):
        statement = block[n]
        made = names(statement, ast.Store)
        if not needed & made:
            continue
        needed |= names(statement)
        computes = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        if any(called(node) not in _MOVES for node in computes):
            first, last = n, max(last or 0, n)
        elif first is not None and isinstance(statement, ast.Assign) and _moves(statement):
            break
    if first is None or last is None or not any(map(_asks_model, block[first : last + 1])):
        raise Refused
    return TrainingStep(
        loop=loop,
        block=block,
        forward=(block[first], block[last]),
        loss=loss,
        backward=backward,
        step=_only(block, "step"),
        zero_grad=_only(block, "zero_grad"),
    )


def _moves(statement: ast.Assign) -> bool:
    """Whether it only moves values, such as `x, y = x.to(device), y.to(device)`."""
    values = list(leaves(statement.value))
    return all(called(expression) in _MOVES for expression in values)


def _asks_model(statement: ast.stmt) -> bool:
    """Whether something is called with values that is no function of a library: a model."""
    return any(
        isinstance(node, ast.Call)
        and names(node.func)
        and not names(node.func) & _FUNCTIONS
        and (
            any(not isinstance(expression, ast.Constant) for expression in node.args)
            or any(not isinstance(keyword.value, ast.Constant) for keyword in node.keywords)
        )
        for node in ast.walk(statement)
    )


def _only(block: list[ast.stmt], name: str) -> ast.stmt | None:
    """Return the statement that calls a method of an optimizer, if one does."""
    statements = [
        statement
        for statement in block
        if isinstance(statement, ast.Expr)
        and (owner := method(statement.value, name)) is not None
        and "sched" not in dotted(owner)
        and not (name == "step" and getattr(statement.value, "args", None))
    ]
    if len(statements) > 1:
        raise Refused
    return statements[0] if statements else None
