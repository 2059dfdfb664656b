"""An error of an earlier cell whose variables were still alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import FREE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Cause

TEXTS = {
    "cause.earlier-traceback": (
        "**The traceback of an earlier error held {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.earlier-traceback.evidence": (
        "A cell failed before this one, and its variables were still alive. "
        "The request for {requested_bytes} would have fitted without them."
    ),
    "cause.earlier-traceback.handled": (
        "**The error that was being handled held {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.earlier-traceback.evidence_handled": (
        "Inside its `except` the variables of the code that failed are still alive. The request "
        "for {requested_bytes} would have fitted without them: go on behind the `except`."
    ),
    "cause.earlier-traceback.again": (
        "**The first try of this cell had left {held_bytes}** when it began again."
    ),
    "cause.earlier-traceback.evidence_again": (
        "*Apply and re-run* frees what its error kept. Causes and remedies are those of that try."
    ),
}


def left(evidence: Evidence) -> Cause:
    """Say what the first try of a cell has left to this one."""
    held = evidence.failure.left_bytes
    return {
        "rule": "earlier-traceback",
        "claim": message("cause.earlier-traceback.again", TEXTS, held_bytes=held),
        "evidence": message("cause.earlier-traceback.evidence_again", TEXTS),
        "bytes": held,
    }


def check(evidence: Evidence) -> Finding | None:
    """Speak where the request would have fitted without what an earlier error held."""
    held, requested = evidence.earlier_traceback_bytes, evidence.requested_bytes
    headroom, in_use = evidence.memory.headroom_bytes, evidence.memory.in_use_bytes
    if not held or requested is None or headroom is None or in_use is None:
        return None
    # What was free was not in one piece where it would have been enough.
    if requested > held + headroom * (requested > headroom):
        return None
    if evidence.scene.running.at_once:
        return None  # it is of another of these tasks
    claim, said = "cause.earlier-traceback", "cause.earlier-traceback.evidence"
    if held > (evidence.failure.earlier_traceback_bytes or 0):
        claim, said = "cause.earlier-traceback.handled", "cause.earlier-traceback.evidence_handled"
    return Finding(
        message(claim, TEXTS, held_bytes=held, in_use_bytes=in_use),
        message(said, TEXTS, requested_bytes=requested),
        bytes=held,
        price=FREE,
    )
