"""Enough memory, but not in one piece.

At this point PyTorch has given all wholly free segments back and tried again, so what is
still reserved and unused is split space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.fragmentation": (
        "**Fragmentation: {unused_bytes} are reserved but scattered**, "
        "the largest free piece is {largest_bytes}."
    ),
    "cause.fragmentation.unmeasured": (
        "**Fragmentation: {unused_bytes} are reserved but scattered.**"
    ),
    "cause.fragmentation.evidence": (
        "The request for {requested_bytes} would fit into the {unused_bytes} of cache and the "
        "{free_bytes} free on the card if they were in one piece."
    ),
}
# A full card always has some gaps: a small request may fail on them, but they are not why.
_MUCH_OF_THE_RESERVED = 0.1


def check(evidence: Evidence) -> Finding | None:
    """Speak where the request would have fitted if all free memory were in one piece."""
    if not is_fragmented(evidence):
        return None
    unused, largest = evidence.memory.cached_bytes, _largest_piece(evidence)
    if largest is None:
        claim = message("cause.fragmentation.unmeasured", TEXTS, unused_bytes=unused)
    else:
        claim = message("cause.fragmentation", TEXTS, unused_bytes=unused, largest_bytes=largest)
    said = message(
        "cause.fragmentation.evidence",
        TEXTS,
        requested_bytes=evidence.requested_bytes,
        unused_bytes=unused,
        free_bytes=evidence.memory.usable_bytes,
    )
    return Finding(claim, said, bytes=unused, price=A_LINE)


def is_fragmented(evidence: Evidence) -> bool:
    """Whether the request would have fitted if all free memory were in one piece."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.cached_bytes is None or memory.usable_bytes is None:
        return False
    if not evidence.peak.is_enough(0):
        return False  # what follows would not fit, in however large a piece
    reserved = (memory.in_use_bytes or 0) + memory.cached_bytes
    if memory.cached_bytes < _MUCH_OF_THE_RESERVED * reserved:
        return False
    largest = _largest_piece(evidence)
    if largest is None:
        # Without the map of the blocks only an error's own words are to go by.
        told = evidence.failure.capture is None and evidence.failure.device is None
        return told and memory.cached_bytes >= requested > memory.usable_bytes
    return memory.cached_bytes + memory.usable_bytes >= requested > largest


def _largest_piece(evidence: Evidence) -> int | None:
    """Return the largest free piece, in the cache or on the card; `None` is not known."""
    capture = evidence.failure.capture
    if capture is None or capture.largest_block_bytes is None:
        return None
    return max(capture.largest_block_bytes, evidence.memory.usable_bytes or 0)
