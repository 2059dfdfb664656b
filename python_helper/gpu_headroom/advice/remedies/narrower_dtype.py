"""Half as many bytes for each number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.dtype import default_precision, half_precision, single_precision
from ...text.messages import message
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Edited, Offer
from ..rules.wide_dtype import weights_of_inference, wide_groups

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("wide-dtype",)
TEXTS = {
    "remedy.narrower-dtype": "`float32` instead of `float64`",
    "remedy.narrower-dtype.note": (
        "Half as many bytes, with seven digits instead of sixteen: enough for training."
    ),
    "remedy.narrower-dtype.half": "Weights in half precision",
    "remedy.narrower-dtype.note_half": (
        "Half as many bytes. Results differ in the third digit; inputs have to be in half "
        "precision, too."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it for double precision, and for weights that nothing trains."""
    wide = wide_groups(evidence)
    weights = [] if wide else weights_of_inference(evidence)
    torch = torch_name(evidence)
    if not (wide or weights):
        return None
    if wide:
        names = [single_precision(each.name) for each in wide]
        changes = in_first_cell(evidence, single_precision(), *names)
    elif torch is not None:
        models = [each.name for each in evidence.models] + sorted(evidence.scene.running.assigning)
        rewrites = [half_precision(each, torch) for each in models]
        if any(each.function == "__init__" for each in evidence.scene.modules):
            rewrites = [default_precision(each, torch) for each in models]  # it does not even load
        changes = in_first_cell(evidence, *rewrites)
    else:
        changes = None
    half, kinds = not wide, evidence.kinds
    size = sum(each.bytes for each in wide)
    if any(each.kind == "parameters" for each in wide):  # all that follows them is as wide
        size += kinds.get("optimizer_state", 0) + kinds.get("activations", 0)
    if half:
        size = sum(each.kinds.get("parameters", 0) for each in weights) + evidence.being_made_bytes
    change, total = edited(evidence, changes), evidence.memory.headroom_bytes
    needs = evidence.step_bytes // 2 if wide and evidence.scene.running.trains else 0
    if total is not None and needs > total + (evidence.memory.in_use_bytes or 0):
        change = Edited(change.diffs)
    return Offer(
        id="narrower-dtype",
        title=message("remedy.narrower-dtype.half" if half else "remedy.narrower-dtype", TEXTS),
        note=message(
            "remedy.narrower-dtype.note_half" if half else "remedy.narrower-dtype.note", TEXTS
        ),
        effect_bytes=size // 2 if half else evidence.saved_bytes(size, 0.5),
        edited=change,
    )
