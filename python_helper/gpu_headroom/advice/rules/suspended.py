"""What goes on later, or is a result that nobody has taken: generators, tasks, Futures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.suspended": "**`{name}` holds {held_bytes}** of the {in_use_bytes} in tensors.",
    "cause.suspended.evidence": (
        "The suspended `{function}` keeps its variables until it ends, or is closed or cancelled "
        "and let go of."
    ),
    "cause.suspended.evidence_result": (
        "A {function} keeps its result as long as anything refers to it: take it to the host, and "
        "let go of the {function}."
    ),
}
_SHARE = 0.2


def check(evidence: Evidence) -> Finding | None:
    """Speak where suspended functions and Futures hold a good part of what is in use."""
    groups = tuple([group for group in evidence.groups if group.suspended])
    size = sum(group.bytes for group in groups)
    via = groups[0].suspended if groups else None
    if via is None or evidence.share(size) < _SHARE:
        return None
    promised = via.kind == "result"
    which = "cause.suspended.evidence_result" if promised else "cause.suspended.evidence"
    return Finding(
        message(
            "cause.suspended",
            TEXTS,
            name=", ".join([group.name for group in groups[:3]]),
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message(which, TEXTS, function=via.name),
        bytes=size,
        price=A_LINE,
        about=groups,
    )
