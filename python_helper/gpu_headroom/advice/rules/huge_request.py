"""One request that is the whole trouble: larger than the card, or of a shape that nobody meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, TRADED, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...oom.operation import FailedOperation
    from ...protocol.wire import Message

TEXTS = {
    "cause.huge-request": "**One request of {requested_bytes}** on a card of {capacity_bytes}.",
    "cause.huge-request.evidence": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes on line {line}."
    ),
    "cause.huge-request.evidence_unplaced": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes of what the failing line makes."
    ),
    "cause.huge-request.evidence_fits_empty": (
        "It is larger than everything in use together ({in_use_bytes}). "
        "A single tensor fills most of the card: look at its shape."
    ),
    "cause.huge-request.evidence_made": (
        "`{expression}` asks for it: {operands} make a result of {shape}."
    ),
    "cause.huge-request.evidence_copied": "`{expression}` copies it to the GPU: {operands}.",
    "cause.huge-request.evidence_operands": "`{expression}` asks for it: {operands}.",
}
_MOST_OF_THE_CARD = 0.5
_MUCH_OF_THE_CARD = 0.15
_BLOWN_UP = 8  # times the largest of what it was made of


def check(evidence: Evidence) -> Finding | None:
    """Speak of a request larger than the card, or than all in use, or blown up by its shapes."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.capacity_bytes is None:
        return None
    impossible = requested > memory.capacity_bytes + memory.kept_back_bytes
    in_use = memory.in_use_bytes
    large = requested > _MOST_OF_THE_CARD * memory.capacity_bytes
    # What a layer makes of a batch is as large as the number of the batch says.
    of_batch = evidence.batch is not None and bool(evidence.scene.modules)
    alone = large and in_use is not None and requested > in_use and not of_batch
    if not (impossible or alone or is_blown_up(evidence)):
        return None
    claim = message(
        "cause.huge-request", TEXTS, requested_bytes=requested, capacity_bytes=memory.capacity_bytes
    )
    said = _of_shapes(evidence.scene.operation)
    if said is None and not impossible:
        said = message("cause.huge-request.evidence_fits_empty", TEXTS, in_use_bytes=in_use)
    if said is None and evidence.line is None:
        said = message("cause.huge-request.evidence_unplaced", TEXTS)
    if said is None:
        said = message("cause.huge-request.evidence", TEXTS, line=evidence.line)
    price = A_LINE if impossible or is_blown_up(evidence) else TRADED
    return Finding(claim, said, bytes=requested, price=price, certain=impossible)


def is_blown_up(evidence: Evidence) -> bool:
    """Whether an operation asked for many times what it was given, and for much of the card."""
    requested, capacity = evidence.requested_bytes, evidence.memory.capacity_bytes
    operation = evidence.scene.operation
    if requested is None or capacity is None or operation is None or operation.shape is None:
        return False
    largest = max((operand.bytes for operand in operation.operands), default=0)
    return requested >= _MUCH_OF_THE_CARD * capacity and requested >= _BLOWN_UP * largest > 0


def _of_shapes(operation: FailedOperation | None) -> Message | None:
    if operation is None or not operation.operands:
        return None
    operands = ", ".join(
        [f"{operand.name} {list(operand.shape)} {operand.dtype}" for operand in operation.operands]
    )
    if operation.shape is None or operation.copied:
        which = "cause.huge-request.evidence_operands"
        if operation.copied:
            which = "cause.huge-request.evidence_copied"
        return message(which, TEXTS, expression=operation.text, operands=operands)
    which, shape = "cause.huge-request.evidence_made", str(list(operation.shape))
    return message(which, TEXTS, expression=operation.text, operands=operands, shape=shape)
