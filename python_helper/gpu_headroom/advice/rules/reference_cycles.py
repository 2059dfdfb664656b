"""Objects that no name reaches any more, waiting for Python's collector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import FREE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.reference-cycles": (
        "**Objects without a name hold {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.reference-cycles.evidence": (
        "No variable leads to them, most are of class `{type_name}`: objects that refer to each "
        "other stay until Python collects garbage, or a library keeps them."
    ),
}
_SHARE = 0.2


def check(evidence: Evidence) -> Finding | None:
    """Speak where what no name reaches is a good part of what is in use."""
    size = unreached_bytes(evidence)
    if not size:
        return None
    kept = [group for group in evidence.groups if not group.root]
    return Finding(
        message(
            "cause.reference-cycles",
            TEXTS,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.reference-cycles.evidence", TEXTS, type_name=kept[0].type_name or "Tensor"),
        bytes=size,
        price=FREE,
    )


def unreached_bytes(evidence: Evidence) -> int:
    """Return what no name reaches, where it is a good part of what is in use."""
    # An earlier error's frames may wait to be collected: they have a cause of their own.
    size = evidence.nameless_bytes - max(
        evidence.earlier_traceback_bytes or 0, evidence.failure.left_bytes
    )
    return size if evidence.complete and evidence.share(size) >= _SHARE else 0
