"""Half precision where it does no harm: mixed precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.autocast import autocast, of_a_trainer, of_keras
from ...edits.flags import HALF, LIBRARIES, trainer_flags
from ...edits.start import keras_precision
from ...text.messages import message
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.autocast": "Mixed precision for the forward pass",
    "remedy.autocast.note": (
        "Most activations take half the bytes in `bfloat16`; the weights stay as they are. Cards "
        "before Ampere compute it slowly. Check the loss."
    ),
}
_LEAST_SHARE = 0.1  # of the activations
_CERTAIN = 0.8  # of what is saved: casts of weights and what libraries compute in full come besides


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where what the operations of a training step keep would take less enough."""
    if finding is None or not evidence.scene.running.trains:
        return None
    kept, size = evidence.kinds.get("activations", 0), evidence.halves_bytes
    if not kept or size < _LEAST_SHARE * kept:
        return None
    if not evidence.peak.fits(kept, 1 - _CERTAIN * size / kept, kept_only=True):
        return None
    torch = torch_name(evidence)
    rewrites = [
        trainer_flags(library, **HALF[library, "bfloat16"]).asking(of_a_trainer)
        for library in LIBRARIES
    ]
    if torch is not None:
        rewrites.append(autocast(torch))
    change = edited(evidence, in_first_cell(evidence, *rewrites))
    if not change.diffs:
        keras = keras_precision("mixed_bfloat16").asking(of_keras)
        change = edited(evidence, in_first_cell(evidence, keras))
    if not change.diffs:
        return None
    return Offer(
        title=message("remedy.autocast", TEXTS),
        note=message("remedy.autocast.note", TEXTS),
        effect_bytes=evidence.peak.saved_bytes(kept, 1 - size / kept),
        edited=change,
        rank=2,
    )
