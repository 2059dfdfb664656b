"""Whether code trains: computes gradients, or steps an optimizer."""

from __future__ import annotations

import ast
import re

from .find import called, dotted, method
from .reading import walk
from .scopes import Function

_BACKWARD = frozenset({"backward", "manual_backward"})
_TRAINS = re.compile(r"(?<!pre)train|fit|learn|optimi|backward", re.IGNORECASE)


def goes_back(call: ast.AST) -> bool:
    """Return whether a call computes gradients: `loss.backward()`, `grad(loss, x)` and the like."""
    name, given = called(call), isinstance(call, ast.Call) and bool(call.args)
    if name == "gradient" and isinstance(call, ast.Call):
        return dotted(call.func) not in ("np.gradient", "numpy.gradient", "torch.gradient")
    return name in _BACKWARD or (name == "grad" and given)


def going_back(tree: ast.AST) -> set[str]:
    """Return the names of the functions in a text that go back from what they are given."""
    return {
        node.name
        for node in walk(tree)
        if isinstance(node, Function)
        and {arg.arg for arg in node.args.args}
        & {back.id for back in backwards(node) if isinstance(back, ast.Name)}
    }


def backwards(tree: ast.AST) -> list[ast.expr]:
    """Return what `backward()` is called on, or the calls that gradients are asked by."""
    expressions: list[ast.expr] = []
    for node in walk(tree):
        if isinstance(node, ast.Call) and goes_back(node):
            value = method(node, "backward")
            expressions += [expression for expression in (value,) if expression is not None]
            expressions += [node] if node.args else []
    return expressions


def trains(node: ast.AST) -> bool:
    """Return whether a piece of code computes gradients or steps an optimizer."""
    return bool(backwards(node)) or any(
        _TRAINS.search(name) and (child.args or "trainer" in dotted(child.func).lower())
        if (name := called(child)) != "step"
        else not child.args or dotted(child.func).startswith("scaler.")
        for child in walk(node)
        if isinstance(child, ast.Call)
    )
