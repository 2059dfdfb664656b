"""A limit that somebody has set: PyTorch may take only a share of the card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.memory-fraction": (
        "**A memory fraction limits PyTorch to {capacity_bytes}**, while {free_bytes} of the card "
        "are free."
    ),
    "cause.memory-fraction.evidence": (
        "`set_per_process_memory_fraction` was called. The request for {requested_bytes} would fit "
        "on the whole card."
    ),
}


def check(evidence: Evidence) -> Finding | None:
    """Speak where the driver has what the limit keeps from PyTorch."""
    memory, requested = evidence.memory, evidence.requested_bytes
    kept_back = memory.kept_back_bytes
    if requested is None or not kept_back or not evidence.peak.is_enough(kept_back):
        return None
    limit = (memory.usable_bytes or 0) + (memory.in_use_bytes or 0) + (memory.cached_bytes or 0)
    return Finding(
        message("cause.memory-fraction", TEXTS, capacity_bytes=limit, free_bytes=memory.free_bytes),
        message("cause.memory-fraction.evidence", TEXTS, requested_bytes=requested),
        bytes=kept_back,
        price=A_LINE,
    )
