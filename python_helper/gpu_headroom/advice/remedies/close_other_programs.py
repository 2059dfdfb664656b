"""Somebody else's memory, given back by somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.other_programs import OWN_CONTEXT_BYTES, others_are_in_the_way

if TYPE_CHECKING:
    from ...oom.evidence import Evidence


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where the request would have fitted without what is outside."""
    outside = evidence.memory.outside_bytes
    if outside is None or not others_are_in_the_way(evidence):
        return None
    return Offer(
        {
            "id": "close-other-programs",
            "kind": "advice",
            "title": message("remedy.close-other-programs"),
            "note": message("remedy.close-other-programs.note"),
            "effect_bytes": outside - OWN_CONTEXT_BYTES,
            "effect_quality": "estimated",
            "type_this": "!nvidia-smi",
            "diff": None,
        },
        rank=1,
    )
