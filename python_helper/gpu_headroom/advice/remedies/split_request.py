"""One tensor too large for the card, made in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.huge_request import HUGE_REQUEST

if TYPE_CHECKING:
    from ...oom.evidence import Evidence


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where one request is the cause."""
    if HUGE_REQUEST.cause(evidence) is None:
        return None
    return Offer(
        {
            "id": "split-request",
            "kind": "advice",
            "title": message("remedy.split-request"),
            "note": message("remedy.split-request.note"),
            "effect_bytes": None,
            "effect_quality": "not_measured",
            "type_this": None,
            "diff": None,
        },
        rank=1,
    )
