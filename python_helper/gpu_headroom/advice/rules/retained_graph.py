"""A list that keeps the graph of every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message

if TYPE_CHECKING:
    from ...holders.ledger import Retained
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

TEXTS = {
    "cause.retained-graph": (
        "**`{name}` keeps {held_bytes} of activations** of the {in_use_bytes} in tensors."
    ),
    "cause.retained-graph.evidence": (
        "It collects {count} tensors with their graphs, so each step's activations stay alive."
    ),
}
_SHARE = 0.25
_SEVERAL = 2


def check(evidence: Evidence) -> tuple[Message, Message] | None:
    """Speak where one container of graphs holds a good part of what is in use."""
    kept = largest_retained(evidence)
    if kept is None:
        return None
    return (
        message(
            "cause.retained-graph",
            TEXTS,
            name=kept.name,
            held_bytes=kept.bytes,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.retained-graph.evidence", TEXTS, count=kept.count),
    )


def largest_retained(evidence: Evidence) -> Retained | None:
    """Return the container of graphs that holds a good part of what is in use, if there is one."""
    for each in evidence.retained:
        if each.count >= _SEVERAL and evidence.share(each.bytes) >= _SHARE:
            return each
    return None
