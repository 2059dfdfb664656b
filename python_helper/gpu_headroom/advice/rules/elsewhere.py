"""It was another process's GPU that was full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import FREE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.elsewhere": "**Another process ran out of memory**, not this kernel.",
    "cause.elsewhere.evidence": (
        "What filled its GPU is not measured there: the numbers are those of its message, and "
        "nothing of this kernel stands among them. Freeing memory here does not help it, unless "
        "both use the same GPU."
    ),
}


def check(evidence: Evidence) -> Finding | None:
    """Speak where the error came from a worker, or is of a GPU that this kernel does not have."""
    if not evidence.failure.in_other_process:
        return None
    return Finding(
        message("cause.elsewhere", TEXTS),
        message("cause.elsewhere.evidence", TEXTS),
        bytes=None,
        price=FREE,
        certain=True,
    )
