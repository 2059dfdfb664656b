"""Half precision where it does no harm: mixed precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.autocast import autocast, is_beyond_float16, of_a_trainer, of_keras, scaled
from ...edits.flags import HALF, LIBRARIES, trainer_flags
from ...edits.rewrite import all_of
from ...edits.start import keras_precision
from ...frameworks.imported import imported
from ...text.messages import message
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.autocast": "Mixed precision in `{dtype}` for the forward pass",
    "remedy.autocast.note": (
        "Most activations take half the bytes in `{dtype}`; the weights stay as they are. Check "
        "the loss."
    ),
    "remedy.autocast.note_scaled": (
        "Most activations take half the bytes in `{dtype}`; the weights stay as they are. A scaler "
        "keeps small gradients from becoming 0. Check the loss."
    ),
    "remedy.autocast.note_unknown": (
        "Most activations take half the bytes in `{dtype}`; the weights stay as they are. Cards "
        "before Ampere compute it slowly. Check the loss."
    ),
}
_AMPERE = 8  # the major compute capability of the first cards that compute `bfloat16` fast
_LEAST_SHARE = 0.1  # of the activations
_CERTAIN = 0.8  # of what is saved: casts of weights and what libraries compute in full come besides


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where what the operations of a training step keep would take less enough."""
    kept, size = evidence.kinds.get("activations", 0), evidence.halves_bytes
    trains = finding is not None and evidence.scene.running.trains
    if not trains or not kept or size < _LEAST_SHARE * kept:
        return None
    if not evidence.peak.fits(kept, 1 - _CERTAIN * size / kept, kept_only=True):
        return None
    torch, cuda = torch_name(evidence), imported("torch.cuda")
    is_known = cuda is not None and cuda.is_initialized()
    is_old = is_known and cuda.get_device_properties(evidence.device_index).major < _AMPERE
    dtype = "float16" if is_old else "bfloat16"
    rewrites = [
        trainer_flags(library, **HALF[library, dtype]).asking(of_a_trainer) for library in LIBRARIES
    ]
    if torch is not None and not is_old:
        rewrites.append(autocast(torch))
    elif torch is not None and not is_beyond_float16(evidence.gate.notebook):
        is_new = hasattr(imported("torch.amp"), "GradScaler")  # since PyTorch 2.3
        scaler = f'{torch}.amp.GradScaler("cuda")' if is_new else f"{torch}.cuda.amp.GradScaler()"
        name = evidence.gate.free_name("scaler", "grad_scaler")
        rewrites.append(all_of(autocast(torch, dtype=dtype), scaled(scaler, name)))
    rewrites.append(keras_precision(f"mixed_{dtype}").asking(of_keras))
    change = edited(evidence, in_first_cell(evidence, *rewrites))
    if not change.diffs:
        return None
    note = "remedy.autocast.note_scaled" if is_old else "remedy.autocast.note"
    if not is_known:
        note = "remedy.autocast.note_unknown"
    return Offer(
        title=message("remedy.autocast", TEXTS, dtype=dtype),
        note=message(note, TEXTS, dtype=dtype),
        effect_bytes=evidence.peak.saved_bytes(kept, 1 - size / kept),
        edited=change,
        rank=2,
    )
