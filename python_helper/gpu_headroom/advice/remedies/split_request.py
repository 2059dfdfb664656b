"""One tensor too large for the card, made in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules import huge_request

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("huge-request",)
TEXTS = {
    "remedy.split-request": "Make the tensor in pieces",
    "remedy.split-request.note": (
        "Work through the input in chunks, or keep the large tensor on the CPU."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where one request is the cause."""
    if huge_request.check(evidence) is None:
        return None
    return Offer(
        id="split-request",
        title=message("remedy.split-request", TEXTS),
        note=message("remedy.split-request.note", TEXTS),
        effect_bytes=None,
    )
