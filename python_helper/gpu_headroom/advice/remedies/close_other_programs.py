"""Somebody else's memory, given back by somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.other_programs import others_in_the_way

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("other-programs",)
TEXTS = {
    "remedy.close-other-programs": "Free the GPU from other programs",
    "remedy.close-other-programs.note": (
        "Shut down other notebooks' kernels on this GPU; `nvidia-smi` lists all programs."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where the request would have fitted without what is outside."""
    others = others_in_the_way(evidence)
    if others is None:
        return None
    return Offer(
        id="close-other-programs",
        title=message("remedy.close-other-programs", TEXTS),
        note=message("remedy.close-other-programs.note", TEXTS),
        effect_bytes=others,
        type_this="!nvidia-smi",
    )
