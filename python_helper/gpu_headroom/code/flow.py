"""What becomes of values: what is computed from them, and what is read later."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .find import called, dotted, method, names
from .liveness import LOOPS, Liveness
from .source import Function, Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .source import CellSource

_EVALUATES = re.compile(
    r"eval|valid|test|predict|infer|embed|extract|generat|sampl|score|accuracy|metric",
    re.IGNORECASE,
)
WITHOUT = ("no_grad", "inference_mode", "set_grad_enabled")
_BACKWARD = frozenset({"backward", "manual_backward"})
_TRAINS = re.compile(r"(?<!pre)train|fit|learn|optimi|backward", re.IGNORECASE)


def evaluates(name: str) -> bool:
    """Return whether the name of a function says that it only evaluates."""
    return _EVALUATES.search(name) is not None


def leaves(target: ast.expr) -> Iterator[ast.expr]:
    """Yield what a target assigns to: both of `a, b`."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for expression in target.elts:
            yield from leaves(expression)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


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
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and {arg.arg for arg in node.args.args}
        & {back.id for back in backwards(node) if isinstance(back, ast.Name)}
    }


def backwards(tree: ast.AST) -> list[ast.expr]:
    """Return what `backward()` is called on, or the calls that gradients are asked by."""
    expressions: list[ast.expr] = []
    for node in ast.walk(tree):
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
        for child in ast.walk(node)
        if isinstance(child, ast.Call)
    )


def read_first(block: Sequence[ast.stmt], made: Collection[str] = ()) -> set[str]:
    """Return the names that statements read before they, or what stands before, have made them."""
    return Liveness(block, _reads, _stores, rounds=LOOPS).before.difference(made)


def read_after(source: CellSource, statement: ast.stmt) -> set[str]:
    """Return the names that are read after a statement as they are then, also in the next step."""
    block = getattr(source.function(statement), "body", [])
    return Liveness(block, _reads, _stores, rounds=LOOPS).after[statement]


def _reads(node: ast.AST) -> set[str]:
    is_definition = isinstance(node, (*Function, ast.ClassDef))
    return names(node) - (_stores(node) if is_definition else set())


def _stores(node: ast.AST) -> set[str]:
    return names(node, ast.Store)


def reaches_backward(source: CellSource, statement: ast.stmt) -> bool:
    """Return whether gradients may be computed later of what a statement makes."""
    made, node = names(statement, ast.Store), statement
    for parent in source.parents(statement):
        if isinstance(node, ast.stmt):
            block = source.body(node)
            made, reached = _flow(block[block.index(node) + 1 :], made)
            if reached:
                return True
        if (
            isinstance(parent, ast.For)
            and _flow(parent.body, made - names(parent.target, ast.Store))[1]
        ):
            return True
        if isinstance(parent, ast.While) and _flow(parent.body, made)[1]:
            return True
        if isinstance(parent, Scope) or not isinstance(parent, ast.stmt):
            break
        node = parent
    return False


def _flow(block: Sequence[ast.stmt], values: set[str]) -> tuple[set[str], bool]:
    """Return what is made of values in a block, with them, and whether gradients are."""
    values = set(values)
    for statement in block:
        made = names(statement, ast.Store)
        if read_first([statement]) & values:
            if backwards(statement):
                return values, True
            values |= made
        elif isinstance(statement, ast.Assign):
            values -= made
    return values, False
