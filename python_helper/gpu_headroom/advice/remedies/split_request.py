"""One tensor too large for the card, made in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.chunks import compared_in_parts, predicted_in_parts
from ...text.messages import message
from ..editing import at_places, edited, torch_name
from ..remedy import UNCHANGED, Offer

if TYPE_CHECKING:
    from ...edits.rewrite import Anchor, Rewrite
    from ...oom.evidence import Evidence
    from ..finding import Finding
    from ..remedy import Edited

TREATS: tuple[str, ...] = ("huge-request",)
TEXTS = {
    "remedy.split-request": "Make the tensor in pieces",
    "remedy.split-request.note": (
        "Work through the input in chunks, or keep the large tensor on the CPU."
    ),
    "remedy.split-request.parts": "In parts of {rows} rows",
    "remedy.split-request.note_parts": (
        "Rows do not know of each other: the results stay the same, up to rounding."
    ),
}
_TABLE = 2  # dimensions
_ROOM = 0.2  # of the headroom: what comes before and behind takes as much


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where one request is the cause; an edit where its rows are on their own."""
    if finding is None:
        return None
    operation = evidence.scene.operation
    if operation is not None and operation.copied and evidence.batch is not None:
        return None  # its parts are smaller batches
    found, requested = _in_parts(evidence), evidence.requested_bytes
    if found is not None and requested is not None:
        rows, share, change = found
        return Offer(
            title=message("remedy.split-request.parts", TEXTS, rows=rows),
            note=message("remedy.split-request.note_parts", TEXTS),
            effect_bytes=int(requested * (1 - share)),
            edited=change,
        )
    return Offer(
        title=message("remedy.split-request", TEXTS),
        note=message("remedy.split-request.note", TEXTS),
        effect_bytes=None,
    )


def _in_parts(evidence: Evidence) -> tuple[int, float, Edited] | None:
    """Return of how many rows the parts are, their share of all, and the change."""
    operation, torch = evidence.scene.operation, torch_name(evidence)
    requested, headroom = evidence.requested_bytes, evidence.memory.headroom_bytes
    operands = () if operation is None else operation.operands
    all_rows = operands[0].shape[:1] if operands else ()
    if torch is None or not (requested and headroom and all_rows):
        return None
    fitting = int(all_rows[0] * _ROOM * headroom / requested)
    if not 0 < fitting < all_rows[0]:
        return None
    rows = 1 << fitting.bit_length() - 1
    running = {module.key for module in evidence.scene.modules}
    models = [
        model.name for model in evidence.models if model.key in running and not model.training
    ]
    tables = {operand.name for operand in operands if len(operand.shape) == _TABLE}
    keeps = evidence.scene.running.trains or evidence.pass_bytes

    def split(anchor: Anchor) -> Rewrite:
        if models and not keeps:
            return predicted_in_parts(anchor, models[0], rows, torch)
        return compared_in_parts(anchor, rows, torch, tables)

    change = edited(evidence, at_places(evidence, split)) if not keeps else UNCHANGED
    return (rows, rows / all_rows[0], change) if change.fix is not None else None
