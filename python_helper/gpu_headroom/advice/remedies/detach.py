"""Collect numbers, not graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.retained_graph import largest_retained

if TYPE_CHECKING:
    from ...oom.evidence import Evidence


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where a container was found that keeps several graphs alive."""
    kept = largest_retained(evidence)
    if kept is None:
        return None
    return Offer(
        {
            "id": "detach",
            "kind": "advice",
            "title": message("remedy.detach", name=kept.name),
            "note": message("remedy.detach.note"),
            "effect_bytes": kept.bytes,
            "effect_quality": "measured",
            "type_this": None,
            "diff": None,
        },
        rank=1,
    )
