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
    framework = preallocating(evidence)
    if framework is None:
        return None
    return Finding(
        message(
            "cause.preallocation",
            TEXTS,
            framework=TITLES[framework.name],
            held_bytes=framework.in_use_bytes + (framework.cached_bytes or 0),
            used_bytes=framework.in_use_bytes,
        ),
        message("cause.preallocation.evidence", TEXTS),
        bytes=framework.cached_bytes,
        price=A_LINE,
        framework=framework,
    )


def preallocating(evidence: Evidence) -> FrameworkReading | None:
    """Return the framework of this kernel that has reserved much more than it uses."""
    device = evidence.failure.device
    if device is None or len(device.frameworks) == 1:
        return None
    least = _SHARE * (device.capacity_bytes or 0)
    unused = (
        framework for framework in device.frameworks if (framework.cached_bytes or 0) >= least > 0
    )
    return next((framework for framework in unused if framework.name in SETTINGS), None)
