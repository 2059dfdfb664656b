"""Load a checkpoint, or keep a copy, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.average import averaged_on_host
from ...edits.keep_numbers import kept
from ...edits.model_memory import loaded_to_host
from ...text.messages import message
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..code_fix import CellChange
    from ..finding import Finding

TREATS: tuple[str, ...] = ("kept-copies",)
TEXTS = {
    "remedy.map-location": "Keep the copy in `{name}` on the host",
    "remedy.map-location.note": (
        '`map_location="cpu"` when it is loaded, `.cpu()` when it is made: the model itself '
        "stays where it is."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where names hold copies of a model."""
    if finding is None or finding.is_remade or finding.is_left:
        return None
    largest = finding.about[0]
    torch = torch_name(evidence) or "torch"
    rewrites = [loaded_to_host(torch, largest.name), loaded_to_host(torch)]
    if largest.plain and not largest.kinds.get("optimizer_state"):
        rewrites.append(kept(largest.name, ".cpu()"))
    changes = in_first_cell(evidence, *rewrites) or _averages(evidence, largest)
    return Offer(
        title=message("remedy.map-location", TEXTS, name=largest.name),
        note=message("remedy.map-location.note", TEXTS),
        effect_bytes=sum(group.bytes for group in finding.about),
        measured=True,
        edited=edited(evidence, changes),
    )


def _averages(evidence: Evidence, copy: Group) -> tuple[CellChange, ...] | None:
    """Return the change that keeps an average of the weights on the host."""
    names = [copy.name, f"self.{copy.last_name}"]
    for name in names:
        changes = in_first_cell(evidence, averaged_on_host(name))
        if changes is not None:
            return changes
    return None
