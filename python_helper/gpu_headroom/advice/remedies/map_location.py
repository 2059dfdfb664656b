"""Load a checkpoint, or keep a copy, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.map_location import loaded_to_host
from ...text.messages import message
from ..code_fix import UNCHANGED
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("kept-copies",)
TEXTS = {
    "remedy.map-location": "Keep the copy in `{name}` on the host",
    "remedy.map-location.note": (
        '`map_location="cpu"` when it is loaded, `.cpu()` when it is made: the model itself '
        "stays where it is."
    ),
    "remedy.map-location.load": "Load the checkpoint on the host first",
    "remedy.map-location.note_load": (
        '`map_location="cpu"`: `load_state_dict` copies it from there to the GPU.'
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where names hold copies of a model."""
    if finding is None or finding.is_remade or finding.is_left:
        return None
    largest, torch, live = finding.about[0], torch_name(evidence) or "torch", evidence.live
    rewrite = loaded_to_host(torch, live.loads, live.entries)
    change = edited(evidence, in_first_cell(evidence, rewrite))
    title, note = "remedy.map-location.load", "remedy.map-location.note_load"
    if change.fix is None:
        change, title, note = UNCHANGED, "remedy.map-location", "remedy.map-location.note"
    loaded = any(f"{largest.name} = {torch}.load(" in run.source for run in evidence.failure.cells)
    example = f"{largest.name} = {{k: v.cpu() for k, v in model.state_dict().items()}}"
    if loaded:
        example = f'{largest.name} = {torch}.load(..., map_location="cpu")'
    return Offer(
        title=message(title, TEXTS, name=largest.name),
        note=message(note, TEXTS),
        effect_bytes=sum(group.bytes for group in finding.about),
        measured=True,
        example=None if change.diffs else example,
        edited=change,
    )
