"""Results that are kept with the graph behind them: a list of losses, a sum, a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.flow import trains
from ...code.parsing import parse_cell, words_in
from ...code.rounds import stored
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
    "cause.retained-graph.evidence_added": (
        "Each round of a loop adds to it, and one graph goes back through all of them."
    ),
    "cause.retained-graph.evidence_cell": (
        "An earlier cell has computed it. The graph behind it stays as long as the name does, for "
        "a backward pass that no cell has made."
    ),
}
_SHARE = 0.1
_SEVERAL = 2
_ONE = "cause.retained-graph.evidence_one"


def check(evidence: Evidence) -> Finding | None:
    """Speak where one container of graphs, or one graph, holds much of what is in use."""
    kept = largest_retained(evidence)
    grew = kept is not None
    kept = kept or _of_earlier_cell(evidence)
    if kept is None:
        return None
    which = "cause.retained-graph.evidence_added" if kept.count > 1 else _ONE
    said = message(which if grew else "cause.retained-graph.evidence_cell", TEXTS)
    if kept.graphs >= _SEVERAL:
        said = message("cause.retained-graph.evidence", TEXTS, count=kept.count)
    return Finding(
        message(
            "cause.retained-graph",
            TEXTS,
            name=kept.name,
            held_bytes=kept.bytes,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        said,
        bytes=kept.bytes,
        price=A_LINE,
        grew=grew,
        about=(kept,),
    )


def largest_retained(evidence: Evidence) -> Group | None:
    """Return what holds the most memory by graphs of several rounds, if anything does."""
    running = evidence.scene.running
    for group in evidence.groups:
        piles_up = group.count >= _SEVERAL and group.keys & running.growing
        # Threads have variables of the same names, each with a graph of its own.
        several = group.graphs >= _SEVERAL and not running.at_once
        grown = several or piles_up or group.keys & running.adding
        held = group.kinds.get("activations", 0)  # of which a backward pass may have let go
        if group.keys & running.one_pass:
            continue
        if group.root and grown and evidence.share(held) >= _SHARE:
            return group
    return None


def _of_earlier_cell(evidence: Evidence) -> Group | None:
    """Return a result of an earlier cell that this one does not use, with the graph behind it.

    Not one that a cell may go backward through.
    """
    failure, previous = evidence.failure, evidence.scene.running.previous
    made, used = set[str](), words_in(failure.cell.source)
    for cell in failure.cells:
        tree = parse_cell(cell.source)
        if tree is None or trains(tree):
            used |= words_in(cell.source)
        else:
            made |= set(stored(tree))
    return next(
        (
            group
            for group in evidence.groups
            if group.origin == "names"
            and group.root == group.name
            and group.name in made
            and (used | previous).isdisjoint(group.variables)
            and evidence.share(group.kinds.get("activations", 0)) >= _SHARE
        ),
        None,
    )
