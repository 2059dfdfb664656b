"""Evaluate without gradients, and in evaluation mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted, mentions, method, names, under
from ..code.flow import WITHOUT, backwards, evaluates, reaches_backward, trains
from ..code.source import Function, Loop, Refused, Scope
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.source import CellSource
    from .rewrite import Anchor


@rewriting
def without_gradients(
    source: CellSource,
    anchor: Anchor,
    torch: str = "torch",
    mode: str = "no_grad",
    *,
    constant: bool = False,
) -> None:
    """`without_gradients(anchor, torch, mode)`: evaluation around a line keeps no graph.

    A function whose name says that it evaluates is decorated (one line), as is that of an anchor
    at its `def`; else the loop around the line is wrapped if nothing is trained in it, else its
    statement. `torch` is the name that PyTorch is imported under; `mode` may be `inference_mode`.
    Refused where gradients are computed from what is made there; with `constant`, which says that
    nothing there is trained (a teacher, a frozen backbone), the statement is wrapped all the same.
    """
    statement = statement_at(source, anchor)
    if under(iter([statement, *source.parents(statement)]), *WITHOUT):
        raise Refused
    header = f"{torch}.{mode}()"
    if constant and not isinstance(statement, Function) and not backwards(statement):
        source.wrap(statement, statement, f"with {header}:")
        return
    function = statement if isinstance(statement, Function) else source.function(statement)
    asked = function is statement or evaluates(getattr(function, "name", ""))
    if asked and isinstance(function, Function) and not trains(function):
        source.decorate(function, header)
        return
    region = _region(source, statement)
    source.wrap(region, region, f"with {header}:")


@rewriting
def evaluating(source: CellSource, anchor: Anchor, model: str) -> None:
    """`evaluating(anchor, model)`: `model.eval()` before the evaluation around a line.

    And `model.train()` behind it, where a loop around both trains and does not say so itself.
    """
    if any(
        dotted(method(node, "eval")) == model
        or (dotted(method(node, "train")) == model and _off(node))
        for node in ast.walk(source.tree)
    ):
        raise Refused
    region = _region(source, statement_at(source, anchor))
    source.before(region, f"{model}.eval()")
    around = [each for each in source.parents(region) if isinstance(each, Loop) and trains(each)]
    if around and not any(
        dotted(method(node, "train")) == model for each in around for node in ast.walk(each)
    ):
        source.after(region, f"{model}.train()")


def _off(node: ast.AST) -> bool:
    """Whether it is `train(False)`."""
    return bool(getattr(node, "args", None))


def _region(source: CellSource, statement: ast.stmt) -> ast.stmt:
    """Return the loop around a statement if it trains nothing, else the statement."""
    if trains(statement) or isinstance(statement, (*Function, ast.ClassDef)):
        raise Refused
    region = statement
    loop = next(
        (each for each in source.parents(statement) if isinstance(each, (*Loop, *Scope))), None
    )
    if isinstance(loop, Loop) and not trains(loop) and not _shares(loop, statement):
        region = loop
    function = source.function(region)
    made = names(region, ast.Store)
    returns = [node for node in ast.walk(function) if isinstance(node, (ast.Return, ast.Yield))]
    given = isinstance(region, ast.Return) or any(
        node.value is not None and mentions(node.value, made) for node in returns
    )
    if given and isinstance(function, Function) and not evaluates(function.name):
        raise Refused  # whoever calls it may want gradients
    if reaches_backward(source, region):
        raise Refused
    if not any(called(node) for node in ast.walk(region)):
        raise Refused
    return region


def _shares(loop: ast.For | ast.While, statement: ast.stmt) -> bool:
    """Whether another call of a loop is given what a statement uses, a model: it may train it."""
    used = names(statement) - names(loop, ast.Store)
    own = set(ast.walk(statement))
    return any(
        isinstance(node, ast.Call) and any(dotted(each) in used for each in node.args)
        for node in ast.walk(loop)
        if node not in own
    )
