"""Delete what nobody needs any more before more is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.delete import deleted_before, deleted_in_loop
from ...text.messages import message
from ..editing import at_places, edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("loop-leftovers", "kept-copies")
TEXTS = {
    "remedy.delete-leftovers": "Delete `{names}` where they are not needed any more",
    "remedy.delete-leftovers.note": (
        "A name that is deleted, or given another value, lets go of what it held."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where names hold values of the round, the cell or the model before."""
    if finding is None:
        return None
    ends: list[str] = []
    if finding.is_remade:
        (old,) = finding.about
        named = [group for group in evidence.groups if group.origin == "names"]
        state = [group for group in evidence.groups if group.kinds.get("optimizer_state")]
        names = [*old.variables, *[group.name for group in state if group in named]]
        size = old.bytes + sum(group.bytes for group in state)
        # What was computed of the model keeps it: `loss` leads to its parameters.
        ends = [
            group.name
            for group in named
            if group.kind == "activations" and group.root == group.path
        ]
        in_loop = False
    elif finding.rule == "loop-leftovers" or finding.is_left:
        groups = finding.about
        names = [name for group in groups for name in group.variables]
        size = sum(group.bytes for group in groups)
        in_loop = groups[0].root in evidence.scene.running.previous
    else:
        return None
    make = deleted_in_loop if in_loop else deleted_before
    where = finding.about[0].function
    changes = at_places(evidence, lambda anchor: make(anchor, *names, *ends, function=where))
    if changes is None and ends:
        changes = at_places(evidence, lambda anchor: make(anchor, *names, function=where))
    change = edited(evidence, changes)
    is_typed = change.reason is None and not where  # a function's names nobody can type
    return Offer(
        title=message("remedy.delete-leftovers", TEXTS, names=", ".join(names)),
        note=message("remedy.delete-leftovers.note", TEXTS),
        effect_bytes=size,
        measured=True,
        type_this=f"del {', '.join(names)}" if is_typed else None,
        edited=change,
    )
