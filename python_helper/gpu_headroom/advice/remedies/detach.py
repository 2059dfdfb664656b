"""Collect numbers, not graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.retained_graph import largest_retained

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "remedy.detach": "Collect numbers instead of graphs in `{name}`",
    "remedy.detach.note": (
        "Append `loss.item()` or `tensor.detach()`: the graph of each step is then let go."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where a container was found that keeps several graphs alive."""
    kept = largest_retained(evidence)
    if kept is None:
        return None
    return Offer(
        id="detach",
        title=message("remedy.detach", TEXTS, name=kept.name),
        note=message("remedy.detach.note", TEXTS),
        effect_bytes=kept.bytes,
        measured=True,
    )
