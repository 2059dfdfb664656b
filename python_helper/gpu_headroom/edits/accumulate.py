"""Gradient accumulation: a smaller batch, and the same effective batch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, calls, dotted, names
from ..code.source import Refused
from ..code.training import training_step
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource


@rewriting
def accumulated(source: CellSource, steps: int, counter: str = "step") -> None:
    """`accumulated(steps)`: the optimizer steps once in so many batches, of a plain loop.

    The loss is divided by their number, so the gradients are those of one batch of all; gradients
    are cleared, clipped and used once for them. `counter` counts the batches where nothing does.
    Combine it with `number.set_number` of the batch by `rewrite.all_of`, and ask what
    `accumulation.Same` proves.
    """
    step = training_step(source)
    loop, block = step.loop, step.block
    if step.step is None or step.zero_grad is None or not isinstance(loop, ast.For) or loop.orelse:
        raise Refused
    if block is not loop.body or steps <= 1:
        raise Refused
    start, end = block.index(step.backward), block.index(step.step)
    cleared = block.index(step.zero_grad)
    if not start < end or start < cleared < end:
        raise Refused
    last = step.step
    for statement in block[end + 1 :]:
        if statement is not step.zero_grad and not schedules(statement):
            break
        last = statement
    if block.index(last) < cleared:
        raise Refused
    batch, begins = _counted(source, loop, counter)
    if cleared < start:
        source.wrap(step.zero_grad, step.zero_grad, f"if {batch} % {steps} == {begins}:")
    else:  # what a loader leaves over at its end must not stay
        source.after(loop, source.text_of(step.zero_grad))
    source.wrap(block[start + 1], last, f"if {batch} % {steps} == {(begins - 1) % steps}:")
    text = source.text_of(step.loss)
    plain = isinstance(step.loss, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    source.replace(step.loss, f"({text} / {steps})" if plain else f"({text}) / {steps}")


def schedules(statement: ast.stmt) -> bool:
    """Return whether it sets the learning rate, once for each step of the optimizer."""
    return isinstance(statement, ast.Expr) and any(
        "sched" in dotted(call.func) for call in calls(statement, "step")
    )


def _counted(source: CellSource, loop: ast.For, name: str) -> tuple[str, int]:
    """Return the code that counts the batches, and the number of the first."""
    iterated, target = loop.iter, loop.target
    if isinstance(iterated, (ast.List, ast.Tuple, ast.BinOp)):
        raise Refused
    if called(iterated) == "enumerate" and isinstance(iterated, ast.Call):
        given = [*iterated.args[1:], *[keyword.value for keyword in iterated.keywords]]
        begin = given[0] if given else ast.Constant(0)
        number = target.elts[0] if isinstance(target, ast.Tuple) else None
        if not isinstance(begin, ast.Constant) or not isinstance(number, ast.Name):
            raise Refused
        if begin.value not in (0, 1) or not iterated.args:
            raise Refused
        return number.id, 1 if begin.value else 0
    if called(iterated) == "range" and isinstance(iterated, ast.Call):
        parts = [source.text_of(expression) for expression in iterated.args]
        if len(parts) != 3 or parts[0] != "0" or not isinstance(target, ast.Name):  # noqa: PLR2004
            raise Refused
        if not isinstance(iterated.args[2], (ast.Name, ast.Attribute, ast.Constant)):
            raise Refused
        return f"{target.id} // {parts[2]}", 0
    if name in names(source.tree) | names(source.tree, ast.Store):
        raise Refused
    text = source.text_of(target)
    start, end = source.span(target)
    bare = isinstance(target, ast.Tuple) and not text.startswith("(")
    source.replace((start, end), f"{name}, ({text})" if bare else f"{name}, {text}")
    source.replace(iterated, f"enumerate({source.text_of(iterated)}, start=1)")
    return name, 1
