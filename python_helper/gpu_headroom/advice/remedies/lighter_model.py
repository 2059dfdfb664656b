"""The same model with fewer bytes: a small part of it trained, or weights of few bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("model-too-large",)
TEXTS = {
    "remedy.lighter-model": "Train a small part of the model: LoRA",
    "remedy.lighter-model.note": (
        "Gradients and optimizer state are then those of small matrices beside the weights, which "
        "may have 4 bits (QLoRA). The result is another."
    ),
    "remedy.lighter-model.few_bits": "Weights of 8 or 4 bits, or partly on the host",
    "remedy.lighter-model.note_few_bits": (
        "`quantization_config` of `from_pretrained` loads them so; with `device_map='auto'` what "
        "does not fit stays on the host, which is slow."
    ),
}
_SHARE = 0.2
_FEWER = 0.75  # 8 bits for 32


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where the model fills the card: by what a training or an inference could spare."""
    if finding is None:
        return None
    kinds = evidence.kinds
    size = kinds.get("gradients", 0) + kinds.get("optimizer_state", 0)
    title, note = "remedy.lighter-model", "remedy.lighter-model.note"
    if not evidence.scene.running.trains:
        title, note = "remedy.lighter-model.few_bits", "remedy.lighter-model.note_few_bits"
        size = int(_FEWER * (kinds.get("parameters", 0) + evidence.being_made_bytes))
    if evidence.share(size) < _SHARE:
        return None
    return Offer(
        title=message(title, TEXTS),
        note=message(note, TEXTS),
        effect_bytes=size,
        rank=2,
    )
