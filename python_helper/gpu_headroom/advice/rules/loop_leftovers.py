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
    found = leftovers(evidence)
    if not found:
        return None
    largest, size = found[0], sum(each.bytes for each in found)
    before = largest.root in evidence.scene.running.previous
    which = "cause.loop-leftovers.evidence" if before else "cause.loop-leftovers.evidence_cell"
    return Finding(
        message(
            "cause.loop-leftovers",
            TEXTS,
            name=", ".join([each.name for each in found[:3]]),
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message(which, TEXTS),
        bytes=size,
        price=A_LINE,
        about=tuple(found),
    )


def leftovers(evidence: Evidence) -> list[Group]:
    """Return the variables whose value is from before, where they hold a good part together.

    All belong to the same function, or to the notebook, and one place lets go of them: a round of
    the loop, or what follows it.
    """
    running, failure = evidence.scene.running, evidence.failure
    others = [each.source for each in failure.cells if each.key != failure.cell.key]
    names = {name for each in evidence.groups for name in each.variables}
    left = left_behind(others, names - words_in(failure.cell.source))
    found = [
        each
        for each in evidence.groups
        if each.root
        and (each.root in running.previous or (each.name in left and not each.function))
        and each.others <= running.previous | left  # else something needs it
        and not each.keys & running.adding
        and each.kind in _OF_VALUES
        and each.graphs < 2  # noqa: PLR2004  several graphs are a leak of their own
    ]
    found = [each for each in found if _place(each, running) == _place(found[0], running)]
    size = sum(each.bytes for each in found)
    return found if found and evidence.share(size) >= _SHARE else []


def _place(group: Group, running: Running) -> tuple[str, bool]:
    return group.function, group.root in running.previous
