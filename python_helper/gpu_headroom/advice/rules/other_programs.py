"""A card that others use, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...oom.others import MUCH_OUTSIDE
from ...text.format import GIB
from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.other-programs": (
        "**Other programs: {outside_bytes} of the card's {capacity_bytes}** are not this kernel's."
    ),
    "cause.other-programs.notebooks": (
        "**Other notebooks: {outside_bytes} of the card's {capacity_bytes}** are not this kernel's."
    ),
    "cause.other-programs.started": (
        "**Processes that this notebook started: {outside_bytes} of the card's {capacity_bytes}** "
        "are not this kernel's own."
    ),
    "cause.other-programs.evidence": (
        "This kernel's tensors take {in_use_bytes}. The request for {requested_bytes} "
        "would have fitted on a card that is otherwise empty."
    ),
}
_CLAIMS = {
    "programs": "cause.other-programs",
    "notebooks": "cause.other-programs.notebooks",
    "started": "cause.other-programs.started",
}
# Driver context and libraries of this very process stand in `outside`, too.
_OWN_CONTEXT_BYTES = GIB


def check(evidence: Evidence) -> Finding | None:
    """Speak where the request would have fitted without the memory of other programs."""
    size = others_in_the_way(evidence)
    if size is None:
        return None
    memory = evidence.memory
    return Finding(
        message(
            _CLAIMS[evidence.others.whose(size)],
            TEXTS,
            outside_bytes=memory.outside_bytes,
            capacity_bytes=memory.capacity_bytes,
        ),
        message(
            "cause.other-programs.evidence",
            TEXTS,
            in_use_bytes=memory.in_use_bytes,
            requested_bytes=evidence.requested_bytes,
        ),
        bytes=size,
        price=A_LINE,
    )


def others_in_the_way(evidence: Evidence) -> int | None:
    """Return the bytes of other programs, where the request would have fitted without them."""
    outside, capacity = evidence.memory.outside_bytes, evidence.memory.capacity_bytes
    if outside is None or capacity is None:
        return None
    others = outside - _OWN_CONTEXT_BYTES
    much = outside >= MUCH_OUTSIDE * capacity
    return others if much and evidence.peak.is_enough(others) else None
