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
def accumulated(source: CellSource, steps: int) -> None:
    """`accumulated(steps)`: the optimizer steps once in so many batches, of a plain loop.

    The loss is divided by their number, so the gradients are those of one batch of all. The last
    batches of an epoch step, too, where the loop's length can be asked for. Combine it with
    `number.set_number` of the batch by `rewrite.all_of`; for trainers see `flags.ACCUMULATION`.
    Refused for `range(steps)`: more and smaller batches would not make it run longer.
    """
    step = training_step(source)
    loop = step.loop
    if step.step is None or step.zero_grad is None or not isinstance(loop, ast.For) or loop.orelse:
        raise Refused
    if step.block is not loop.body or steps <= 1:
        raise Refused
    block = step.block
    start, end = block.index(step.backward), block.index(step.step)
    cleared = block.index(step.zero_grad)
    if not start < end or start < cleared < end:
        raise Refused
    last = step.step
    for each in block[end + 1 :]:
        if each is not step.zero_grad and not _schedules(each):
            break
        last = each
    if not end < cleared <= block.index(last):
        source.remove(step.zero_grad)
        source.before(loop, source.text_of(step.zero_grad))
        source.after_within(last, source.text_of(step.zero_grad))
    counter, more = _counted(source, loop)
    condition = f"{counter} % {steps} == 0{more}"
    source.wrap(block[start + 1], last, f"if {condition}:")
    text = source.text_of(step.loss)
    plain = isinstance(step.loss, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    source.replace(step.loss, f"({text} / {steps})" if plain else f"({text}) / {steps}")


def _schedules(statement: ast.stmt) -> bool:
    """Whether it sets the learning rate, once for each step of the optimizer."""
    return any("sched" in dotted(each.func) for each in calls(statement, "step"))


def _counted(source: CellSource, loop: ast.For) -> tuple[str, str]:
    """Return the code that counts the batches from 1, and what says that it is the last one."""
    iterated, target = loop.iter, loop.target
    if isinstance(iterated, (ast.List, ast.Tuple, ast.BinOp)):
        raise Refused
    if called(iterated) == "enumerate" and isinstance(iterated, ast.Call):
        given = [*iterated.args[1:], *[each.value for each in iterated.keywords]]
        begin = given[0] if given else ast.Constant(0)
        counter = target.elts[0] if isinstance(target, ast.Tuple) else None
        if not isinstance(begin, ast.Constant) or not isinstance(counter, ast.Name):
            raise Refused
        if begin.value not in (0, 1) or not iterated.args:
            raise Refused
        text = counter.id if begin.value else f"({counter.id} + 1)"
        return text, _last(source, text.strip("()"), iterated.args[0])
    if called(iterated) == "range" and isinstance(iterated, ast.Call):
        return _of_range(source, target, iterated)
    name = "batch_index" if "step" in names(loop) | names(loop, ast.Store) else "step"
    if name in names(source.tree) | names(source.tree, ast.Store):
        raise Refused
    text = source.text_of(target)
    start, end = source.span(target)
    bare = isinstance(target, ast.Tuple) and not text.startswith("(")
    source.replace((start, end), f"{name}, ({text})" if bare else f"{name}, {text}")
    source.replace(iterated, f"enumerate({source.text_of(iterated)}, start=1)")
    return name, _last(source, name, iterated)


def _last(source: CellSource, counter: str, batches: ast.expr) -> str:
    """Return the code that says that a batch is the last, where asking for that costs nothing."""
    if called(batches) == "tqdm" and isinstance(batches, ast.Call) and batches.args:
        batches = batches.args[0]
    return f" or {counter} == len({source.text_of(batches)})" if dotted(batches) else ""


def _of_range(source: CellSource, target: ast.expr, given: ast.Call) -> tuple[str, str]:
    """Count the batches of `for i in range(0, len(X), batch_size)` by `i` itself."""
    parts = [source.text_of(each) for each in given.args]
    if len(parts) != 3 or parts[0] != "0" or not isinstance(target, ast.Name):  # noqa: PLR2004
        raise Refused
    if not all(dotted(each) or isinstance(each, (ast.Constant, ast.Call)) for each in given.args):
        raise Refused
    _, stop, size = parts
    return f"({target.id} // {size} + 1)", f" or {target.id} + {size} >= {stop}"
