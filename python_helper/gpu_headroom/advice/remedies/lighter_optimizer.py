"""An optimizer that remembers less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.model_too_large import MODEL_TOO_LARGE

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

_SHARE = 0.2


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where the model fills the card and the optimizer's state is a good part of it."""
    state = evidence.kinds.get("optimizer_state", 0)
    if evidence.share(state) < _SHARE or MODEL_TOO_LARGE.cause(evidence) is None:
        return None
    return Offer(
        {
            "id": "lighter-optimizer",
            "kind": "advice",
            "title": message("remedy.lighter-optimizer"),
            "note": message("remedy.lighter-optimizer.note", optimizer_bytes=state),
            "effect_bytes": state,
            "effect_quality": "estimated",
            "type_this": None,
            "diff": None,
        },
        rank=2,
    )
