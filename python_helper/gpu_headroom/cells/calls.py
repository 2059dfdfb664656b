"""Defaults of parameters, and whether the calls that can be seen leave them as they are."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Calls = Mapping[str | None, Sequence[ast.Call]]

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with a default; `callee` is what is called, `position` counts without `self`."""

    callee: str
    name: str
    position: int | None


def defaults(
    function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.AST | None
) -> Iterator[tuple[Parameter, ast.expr]]:
    """Yield the parameters that have a default; `owner` is the class or function around it."""
    is_method = isinstance(owner, ast.ClassDef)
    makes = isinstance(owner, ast.ClassDef) and function.name == "__init__"
    callee = owner.name if makes and isinstance(owner, ast.ClassDef) else function.name
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    for index, default in enumerate(arguments.defaults, start=first):
        yield Parameter(callee, positional[index].arg, index - is_method), default
    for argument, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if given is not None:
            yield Parameter(callee, argument.arg, None), given


def is_overridden(parameter: Parameter, failing: Calls, others: Iterable[Calls]) -> bool:
    """Whether a call may pass a value of its own: in the failing cell, else in any other."""
    for cells in ([failing], others):
        calls = [call for each in cells for call in each.get(parameter.callee, ())]
        if calls:
            return any(_passes(call, parameter) for call in calls)
    return False


def callee(call: ast.Call) -> str | None:
    """Return the last name of what is called: `fit` for `trainer.fit()`."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def _passes(call: ast.Call, parameter: Parameter) -> bool:
    if any(keyword.arg in (None, parameter.name) for keyword in call.keywords):
        return True
    if any(isinstance(each, ast.Starred) for each in call.args):
        return True
    return parameter.position is not None and len(call.args) > parameter.position
