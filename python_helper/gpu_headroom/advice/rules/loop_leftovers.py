"""What an earlier round of a loop, or an earlier cell, has left under its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.loops import left_behind
from ...code.parsing import words_in
from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ...oom.running import Running

TEXTS = {
    "cause.loop-leftovers": (
        "**`{name}` still holds {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.loop-leftovers.evidence": (
        "It is from the round of the loop before: a name keeps its value until it gets another, "
        "so two rounds were on the GPU at once."
    ),
    "cause.loop-leftovers.evidence_cell": (
        "It is left over from a loop in an earlier cell, and this cell does not use it."
    ),
}
_SHARE = 0.1
_OF_VALUES = ("tensor", "activations")


def check(evidence: Evidence) -> Finding | None:
    """Speak where names that nobody needs now hold a good part of what is in use."""
    groups = leftovers(evidence)
    if not groups:
        return None
    largest, size = groups[0], sum(group.bytes for group in groups)
    before = largest.root in evidence.scene.running.previous
    which = "cause.loop-leftovers.evidence" if before else "cause.loop-leftovers.evidence_cell"
    return Finding(
        message(
            "cause.loop-leftovers",
            TEXTS,
            name=", ".join([group.name for group in groups[:3]]),
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message(which, TEXTS),
        bytes=size,
        price=A_LINE,
        about=tuple(groups),
    )


def leftovers(evidence: Evidence) -> list[Group]:
    """Return the variables whose value is from before, where they hold a good part together.

    All belong to the same function, or to the notebook, and one place lets go of them: a round of
    the loop, or what follows it.
    """
    running, failure = evidence.scene.running, evidence.failure
    others = [run.source for run in failure.cells if run.key != failure.cell.key]
    names = {name for group in evidence.groups for name in group.variables}
    left = left_behind(others, names - words_in(failure.cell.source))
    groups = [
        group
        for group in evidence.groups
        if group.root
        and (group.root in running.previous or (group.name in left and not group.function))
        and group.others <= running.previous | left  # else something needs it
        and not group.keys & running.adding
        and group.kind in _OF_VALUES
        and group.graphs < 2  # noqa: PLR2004  several graphs are a leak of their own
    ]
    groups = [group for group in groups if _place(group, running) == _place(groups[0], running)]
    size = sum(group.bytes for group in groups)
    return groups if groups and evidence.share(size) >= _SHARE else []


def _place(group: Group, running: Running) -> tuple[str, bool]:
    return group.function, group.root in running.previous
