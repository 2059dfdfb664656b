"""A data set that stands on the card as a whole."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ...code.find import names
from ...code.parsing import parse_cell
from ...text.messages import message
from ..caches import is_cache, of_evaluation
from ..finding import A_LINE, Finding
from .kept_copies import copies

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.data-on-card": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors**, in `{name}`."
    ),
    "cause.data-on-card.evidence": (
        "{count} tensors such as {shape} in {dtype} have been there since before this pass. A "
        "batch needs to be on the GPU, the whole set can stay on the host."
    ),
    "cause.data-on-card.evidence_one": (
        "A tensor of {shape} in {dtype} has been there since before this pass. A batch needs to be "
        "on the GPU, the whole set can stay on the host."
    ),
    "cause.data-on-card.moving": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors** were being put there."
    ),
    "cause.data-on-card.evidence_moving": (
        "`{expression}` puts data on the GPU, piece by piece, and no model has seen them yet. A "
        "batch needs to be on the GPU, the whole set can stay on the host."
    ),
}
_SHARE = 0.2
_MOSTLY = 0.5
_LOADS = ("<module>", "__init__", "<listcomp>", "<dictcomp>", "<genexpr>")
# `x.to(device)`, whatever the device is called: it was the card that could not hold it.
_TO_CARD = re.compile(r"cuda|\bdev(?:ice)?\b", re.IGNORECASE)
_MOVES = ("cuda", "to", "as_tensor", "tensor", "from_numpy", "randn", "rand", "zeros", "ones")


def check(evidence: Evidence) -> Finding | None:
    """Speak where plain tensors that no forward pass made hold a good part of what is in use."""
    data = data_groups(evidence)
    if not data:
        return _moving(evidence)
    shape, dtype, _ = data[0].commonest
    size = sum(group.bytes for group in data)
    count = sum(sum(group.shapes.values()) for group in data)
    which = "cause.data-on-card.evidence" if count > 1 else "cause.data-on-card.evidence_one"
    said: dict[str, str | int] = {"shape": str(list(shape)), "dtype": dtype}
    return Finding(
        message(
            "cause.data-on-card",
            TEXTS,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
            name=", ".join([group.name for group in data[:3]]),
        ),
        message(which, TEXTS, **said, **({"count": count} if count > 1 else {})),
        bytes=size,
        price=A_LINE,
        about=tuple(data),
    )


def data_groups(evidence: Evidence) -> list[Group]:
    """Return the names of plain tensors that neither the running code nor a model has made."""
    running = evidence.scene.running
    made = running.growing | running.adding | running.bound
    found = copies(evidence)
    others = [] if found is None else found[1]
    data = [
        group
        for group in evidence.groups
        if group.root
        and group.origin in ("names", "traceback")
        and group.kind == "tensor"
        and not group.suspended
        and not group.keys & made
        and group.root not in running.previous
        and not is_cache(group)
        and not any(group is other for other in others)
        and not _is_inside(group)
        and not evidence.is_batch(group)
        and not of_evaluation(group)
        and not _is_result(evidence, group)
    ]
    size = sum(group.bytes for group in data)
    return data if evidence.share(size) >= _SHARE else []


def _is_inside(group: Group) -> bool:
    """Whether it is a variable of a function other than those that run a loop over data."""
    return group.function.rpartition(".")[2] in ("forward", "__call__", "_forward_impl")


def _is_result(evidence: Evidence, group: Group) -> bool:
    """Whether a cell has it from a call that was given a model: that is no data."""
    models = {model.name for model in evidence.models}
    trees = [parse_cell(run.source) for run in evidence.failure.cells]
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and names(node.value) & models
        and any(group.name in names(target, ast.Store) for target in node.targets)
        for tree in trees
        if tree is not None
        for node in ast.walk(tree)
    )


def _moving(evidence: Evidence) -> Finding | None:
    """The failing expression itself moves data, outside of any model: they have no name yet."""
    operation, came_back = evidence.scene.operation, evidence.temporary_bytes
    if operation is None or not is_moving(evidence):
        return None
    plain = sum(
        group.bytes
        for group in evidence.groups
        if group.kind == "tensor" and group.origin != "outputs" and not group.suspended
    )
    size = came_back + plain
    if evidence.share(size) < _MOSTLY:
        return None
    return Finding(
        message(
            "cause.data-on-card.moving",
            TEXTS,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.data-on-card.evidence_moving", TEXTS, expression=operation.text),
        bytes=size,
        price=A_LINE,
    )


def is_moving(evidence: Evidence) -> bool:
    """Whether the failing expression puts data on the card while they are loaded."""
    operation, own = evidence.scene.operation, evidence.scene.running.own
    moves = operation is not None and operation.name in _MOVES and _TO_CARD.search(operation.text)
    loads = not own or own[-1] in _LOADS
    return bool(moves and loads and not evidence.scene.modules)
