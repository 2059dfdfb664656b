"""Another framework of this kernel that takes most of the card for itself, before it needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...frameworks.registry import SETTINGS, TITLES
from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...frameworks.view import FrameworkReading
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.preallocation": (
        "**{framework} keeps {held_bytes} of the card** for itself, and uses {used_bytes} of them."
    ),
    "cause.preallocation.evidence": (
        "It takes most of the card when it starts. It can be told not to, before it does."
    ),
}
_SHARE = 0.2


def check(evidence: Evidence) -> Finding | None:
    """Speak where a framework that takes memory in advance has left much of it unused."""
    found = preallocating(evidence)
    if found is None:
        return None
    return Finding(
        message(
            "cause.preallocation",
            TEXTS,
            framework=TITLES[found.name],
            held_bytes=found.in_use_bytes + (found.cached_bytes or 0),
            used_bytes=found.in_use_bytes,
        ),
        message("cause.preallocation.evidence", TEXTS),
        bytes=found.cached_bytes,
        price=A_LINE,
        framework=found,
    )


def preallocating(evidence: Evidence) -> FrameworkReading | None:
    """Return the framework of this kernel that has reserved much more than it uses."""
    device = evidence.failure.device
    if device is None or len(device.frameworks) == 1:
        return None
    least = _SHARE * (device.capacity_bytes or 0)
    unused = (each for each in device.frameworks if (each.cached_bytes or 0) >= least > 0)
    return next((each for each in unused if each.name in SETTINGS), None)
