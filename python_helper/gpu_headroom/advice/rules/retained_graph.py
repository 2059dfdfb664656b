"""A list that keeps the graph of every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...holders.ledger import Retained
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_SHARE = 0.25
_SEVERAL = 2


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    kept, in_use = largest_retained(evidence), evidence.memory.in_use_bytes
    if kept is None or in_use is None:
        return None
    return (
        message("cause.retained-graph", name=kept.name, held_bytes=kept.bytes, in_use_bytes=in_use),
        message("cause.retained-graph.evidence", count=kept.count),
    )


def largest_retained(evidence: Evidence) -> Retained | None:
    """Return the container of graphs that holds a good part of what is in use, if there is one."""
    return next(
        (
            each
            for each in evidence.retained
            if each.count >= _SEVERAL and evidence.share(each.bytes) >= _SHARE
        ),
        None,
    )


RETAINED_GRAPH = Rule("retained-graph", _check)
