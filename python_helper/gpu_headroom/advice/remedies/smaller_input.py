"""A shorter input, or smaller images: an edit of the number that says how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.number import set_number
from ...text.messages import message
from ..code_fix import CellChange, diffs_of
from ..remedy import Edited, Offer
from .smaller_batch import estimated

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations", "huge-request")
TEXTS = {
    "remedy.smaller-input": "`{name} = {old}` → `{new}` (line {line})",
    "remedy.smaller-input.note": (
        "Activations grow with the length of the input, attention with its square. What is longer "
        "is cut."
    ),
    "remedy.smaller-input.note_image": (
        "Activations grow with the pixels: half the side is a quarter of them. Details are lost."
    ),
    "remedy.smaller-input.reason": (
        "No button: layers of a fixed size, targets and the transforms of other data may have to "
        "follow."
    ),
}
_MOST_HALVED = 8


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where tensors of that length, or with these sides, fill a good part of the card."""
    size = evidence.input_size
    if size is None:
        return None
    power = 2 if size.role == "image" else 1
    value = estimated(evidence, size.value, evidence.input_bytes, power=power)
    if value is None or value < size.value // _MOST_HALVED:
        return None
    diffs = diffs_of(CellChange(size.cell, size.line, set_number(size, value)))
    if not diffs:
        return None
    shown: dict[str, str | int] = {
        "name": size.name,
        "old": size.value,
        "new": value,
        "line": size.line,
    }
    is_image = size.role == "image"
    return Offer(
        title=message("remedy.smaller-input", TEXTS, **shown),
        note=message(
            "remedy.smaller-input.note_image" if is_image else "remedy.smaller-input.note", TEXTS
        ),
        effect_bytes=evidence.peak.saved_bytes(evidence.input_bytes, (value / size.value) ** power),
        edited=Edited(diffs, reason=message("remedy.smaller-input.reason", TEXTS)),
        rank=2,
    )
