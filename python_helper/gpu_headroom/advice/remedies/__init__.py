"""The remedies: each offers itself where the numbers support it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    close_other_programs,
    detach,
    expandable_segments,
    free_traceback,
    lighter_optimizer,
    no_grad,
    smaller_batch,
    split_request,
)

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..remedy import Offer

_MOST = 4
_REMEDIES = (
    free_traceback,
    smaller_batch,
    detach,
    no_grad,
    expandable_segments,
    close_other_programs,
    lighter_optimizer,
    split_request,
)


def offers(evidence: Evidence) -> list[Offer]:
    """Return at most four remedies: what helps the failing line first, then by effect."""
    found = [offer for remedy in _REMEDIES if (offer := remedy.offer(evidence)) is not None]
    found.sort(key=lambda offer: (offer.rank, -(offer.remedy["effect_bytes"] or 0)))
    return found[:_MOST]
