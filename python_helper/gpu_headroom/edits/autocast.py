"""Mixed precision in a plain training loop."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.find import called, calls, names, under, words
from ..code.pure import ATTENTION, BATCH_NORM, DROPOUT, Doubt, Pure
from ..code.source import CellSource, Refused
from ..code.training import training_step
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "autocast.escapes": (
        "No button: `{name}` would be `bfloat16` in {cell}, line {line}, which may need its type."
    ),
    "autocast.forward": (
        "No button: whether the forward pass is as good in `bfloat16` cannot be told ({cell}, "
        "line {line})."
    ),
    "autocast.class": "No button: whether `{name}` is as good in `bfloat16` cannot be told.",
    "autocast.already": "No button: {cell}, line {line} chooses types itself.",
    "autocast.keras": (
        "No button: it holds for all models that are made after it, and their outputs change type."
    ),
    "autocast.trainer": (
        "No button: which values of `bfloat16` the trainer hands to your code cannot be told."
    ),
}
# What PyTorch refuses to compute under autocast, in whatever cell it stands.
UNSAFE = re.compile(r"\bBCELoss\b|\bbinary_cross_entropy\b")
_STEEP = words("""exp log log1p expm1 cumsum cumprod prod reciprocal rsqrt std var pow logsumexp""")
_CHOOSES = ("autocast", "GradScaler", "half", "bfloat16", "double", "set_default_dtype")


@rewriting
def _autocast(source: CellSource, torch: str, device: str) -> None:
    step = training_step(source)
    first, last = step.forward
    if any(calls(source.tree, "autocast", "GradScaler", "half", "bfloat16")) or UNSAFE.search(
        source.text
    ):
        raise Refused
    if under(source.parents(first), "autocast"):
        raise Refused
    source.wrap(first, last, f'with {torch}.autocast("{device}", dtype={torch}.bfloat16):')


def autocast(torch: str = "torch", device: str = "cuda") -> Rewrite:
    """`autocast(torch)`: the forward pass and the loss run in bfloat16, the backward pass does not.

    `torch` is the name that PyTorch is imported under. Not where any cell has `UNSAFE` losses, nor
    where a value of that type gets to anything but the backward pass.
    """
    return _autocast(torch, device).asking(_stays_inside)


def of_a_trainer(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: what a trainer hands to a person's code, and what that keeps, nobody sees."""
    return message("autocast.trainer", TEXTS)


def of_keras(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: a policy holds for all that comes after it."""
    return message("autocast.keras", TEXTS)


def _stays_inside(gate: Gate, cell: CellCode) -> Message | None:  # noqa: PLR0911  a reason each
    """Whether nothing of another type gets out of the forward pass, and none is needed in it."""
    why = gate.unread()
    if why is not None:
        return why
    for chosen in _CHOOSES:
        for where, call in gate.notebook.calls(chosen):
            return _said("autocast.already", where, call)
    if any(UNSAFE.search(each.source) for each in gate.notebook.cells):
        return message("autocast.class", TEXTS, name="BCELoss")
    try:
        source = CellSource(cell.source)
        source.tree = cell.tree or source.tree
        step = training_step(source)
    except Refused:
        return message("autocast.trainer", TEXTS)
    pure = Pure(gate.notebook, gate.live, ATTENTION | BATCH_NORM | DROPOUT)
    first, last = (step.block.index(each) for each in step.forward)
    inside = step.block[first : last + 1]
    try:
        name = pure.modules()
        if name is not None:
            return message("autocast.class", TEXTS, name=name)
        pure.of_block(cell, inside)
    except Doubt as doubt:
        where, line = doubt.place
        return message("autocast.forward", TEXTS, cell=where.title, line=line)
    steep = _rounds_badly(gate, [*inside, step.backward])
    odd = next((each for each in inside if not isinstance(each, ast.Assign)), steep)
    if odd is not None:
        return _said("autocast.forward", cell, odd)
    return _escape(gate, cell, inside, step.backward)


def _escape(
    gate: Gate, cell: CellCode, inside: list[ast.stmt], backward: ast.stmt
) -> Message | None:
    """Where a value that is made inside is read besides, but for its number."""
    made = set().union(*(names(each, ast.Store) for each in inside))
    own = {id(node) for each in [*inside, backward] for node in ast.walk(each)}
    targets = [
        (cell.owners[node][1], node.id)
        for each in inside
        for node in ast.walk(each)
        if isinstance(node, ast.Name) and node.id in made and node in cell.owners
    ]
    for owner, name in dict.fromkeys(targets):
        uses = gate.notebook.uses(name) if owner is None else [(cell, use) for use in cell.uses]
        for where, use in uses:
            if use.name != name or use.owner is not owner or use.how != "read":
                continue
            if id(use.node) in own or _is_number(where, use.node):
                continue
            line = getattr(use.node, "lineno", 1)
            return message("autocast.escapes", TEXTS, name=name, cell=where.title, line=line)
    return None


def _is_number(cell: CellCode, node: ast.AST) -> bool:
    """Whether only the number of a value is taken, `loss.item()`, or how large it is."""
    parents = [parent for parent, _ in zip(cell.parents(node), range(2), strict=False)]
    if isinstance(parents[0], ast.Call) and called(parents[0]) in ("float", "len"):
        return True
    attribute = parents[0]
    if not isinstance(attribute, ast.Attribute) or attribute.attr not in ("item", "size", "shape"):
        return False
    return attribute.attr == "shape" or isinstance(parents[-1], ast.Call)


def _rounds_badly(gate: Gate, inside: list[ast.stmt]) -> ast.AST | None:
    """Return what may be far off, or not finite, where its operands have eight bits."""
    parts = [part for each in inside for _, part in gate.notebook.reached(each)]
    parts += [node for found in gate.notebook.classes.values() for _, node in found]
    for part in parts:
        for node in ast.walk(part):
            if called(node) in _STEEP:
                return node
            power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
            square = getattr(getattr(node, "right", None), "value", None) == 2  # noqa: PLR2004
            if isinstance(node, ast.BinOp) and power and not square:
                return node
            divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
            if isinstance(node, ast.BinOp) and divides and any(calls_or_differs(node.right)):
                return node
    return None


def calls_or_differs(node: ast.expr) -> Iterator[bool]:
    """Yield what in a divisor may come to nothing by rounding."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and called(each) not in ("len", "size", "sqrt"):
            yield True
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub):
            yield True


def _said(what: str, cell: CellCode, node: ast.AST) -> Message:
    return message(what, TEXTS, cell=cell.title, line=getattr(node, "lineno", 1))
