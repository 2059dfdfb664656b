"""Results that are kept with the graph behind them: a list of losses, a sum, a hidden state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.retained-graph": (
        "**`{name}` keeps {held_bytes} of activations** of the {in_use_bytes} in tensors."
    ),
    "cause.retained-graph.evidence": (
        "It collects {count} tensors with their graphs, so each step's activations stay alive."
    ),
    "cause.retained-graph.evidence_one": (
        "It is made anew from itself in each round of a loop, and its graph goes back through all "
        "of them."
    ),
}
_SHARE = 0.1
_SEVERAL = 2


def check(evidence: Evidence) -> Finding | None:
    """Speak where one container of graphs, or one growing graph, holds much of what is in use."""
    kept = largest_retained(evidence)
    if kept is None:
        return None
    several = kept.graphs >= _SEVERAL
    return Finding(
        message(
            "cause.retained-graph",
            TEXTS,
            name=kept.name,
            held_bytes=kept.bytes,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.retained-graph.evidence", TEXTS, count=kept.count)
        if several
        else message("cause.retained-graph.evidence_one", TEXTS),
        bytes=kept.bytes,
        price=A_LINE,
        grew=True,
        about=(kept,),
    )


def largest_retained(evidence: Evidence) -> Group | None:
    """Return what holds the most memory by graphs of several rounds, if anything does."""
    running = evidence.scene.running
    for each in evidence.groups:
        piles_up = each.count >= _SEVERAL and each.keys & running.growing
        # Threads have variables of the same names, each with a graph of its own.
        several = each.graphs >= _SEVERAL and not running.at_once
        grown = several or piles_up or each.keys & running.adding
        held = each.kinds.get("activations", 0)  # of which a backward pass may have let go
        if each.keys & running.one_pass:
            continue
        if each.root and grown and evidence.share(held) >= _SHARE:
            return each
    return None
