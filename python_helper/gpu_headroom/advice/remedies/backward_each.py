"""Go backward with each part of a sum, not with all of them at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.backward_each import backward_each
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("retained-graph",)
TEXTS = {
    "remedy.backward-each": "Go backward with each part of `{name}` as it is made",
    "remedy.backward-each.note": (
        "Gradients add up, so those of the sum stay the same, and the graph of a part is let go "
        "before the next is made."
    ),
    "remedy.backward-each.advice": (
        "Gradients add up where the parts have no graph in common: that of a part is let go before "
        "the next is made."
    ),
}

PARTS = ("part", "part_loss", "loss_of_part")
"""Names for a part of the sum, the first of them that is free."""


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where a loop adds up what goes backward behind it."""
    held = finding.about[0] if finding is not None else None
    if held is None or held.keys.isdisjoint(evidence.scene.running.adding):
        return None
    graphs = [group.name for group in evidence.groups if group.graphs and group is not held]
    part = evidence.gate.free_name(*PARTS)
    changes = in_first_cell(evidence, backward_each(held.name, graphs, part))
    if changes is None:
        return None
    change = edited(evidence, changes)
    said = "remedy.backward-each.advice" if change.fix is None else "remedy.backward-each.note"
    return Offer(
        title=message("remedy.backward-each", TEXTS, name=held.name),
        note=message(said, TEXTS),
        effect_bytes=held.bytes,
        measured=True,
        edited=change,
    )
