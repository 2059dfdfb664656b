"""Compute activations again instead of keeping them, by the flag of the model's library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.checkpointing import checkpointed, trainer_checkpointed
from ...text.messages import message
from ..code_fix import UNCHANGED, Edited
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.checkpointing": "Gradient checkpointing",
    "remedy.checkpointing.note": (
        "Activations are computed again in the backward pass. A step takes about a third longer."
    ),
    "remedy.checkpointing.note_by_hand": (
        "Activations are computed again in the backward pass. "
        "A step takes about a third longer. What a pass counts is counted twice."
    ),
}
# Of the activations, about: what stands between the blocks, and with a head beside them.
_BETWEEN, _BESIDE = 0.1, 0.25
_FEWEST = 3
_BLOCKS = (
    "from torch.utils.checkpoint import checkpoint\n\n"
    "x = checkpoint(block, x, use_reentrant=False)  # for x = block(x)"
)
_SEQUENTIAL = (
    "from torch.utils.checkpoint import checkpoint_sequential\n\n"
    "checkpoint_sequential({name}, {segments}, x, use_reentrant=False)  # for {name}(x)"
)


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where a training step's activations fill the card, and a model has blocks."""
    kept = evidence.kinds.get("activations", 0)
    if finding is None or not evidence.scene.running.trains:
        return None
    blocks = max([model.blocks for model in evidence.models], default=0)
    lists = [model for model in evidence.models if model.type_name == "Sequential"]
    change = _change(evidence)
    left = (_BETWEEN if lists else _BESIDE) + 1 / max(blocks, _FEWEST)
    if not evidence.peak.fits(kept, left) or not (blocks or lists or change.diffs):
        return None
    example = None if change.diffs else _BLOCKS
    if lists and example is not None:
        segments = max(lists[0].blocks, _FEWEST + 1)
        example = _SEQUENTIAL.format(name=lists[0].name, segments=segments)
    which = "remedy.checkpointing.note" if change.diffs else "remedy.checkpointing.note_by_hand"
    return Offer(
        title=message("remedy.checkpointing", TEXTS),
        note=message(which, TEXTS),
        effect_bytes=None,
        example=example,
        edited=change,
        rank=2,
    )


def _change(evidence: Evidence) -> Edited:
    """Return the edit that turns on what a library has, of the model that ran."""
    live, running = evidence.live, {module.key for module in evidence.scene.modules}
    if live.trainer:
        change = edited(evidence, in_first_cell(evidence, trainer_checkpointed(live.trainer)))
        if change.diffs:
            return change
    for model in evidence.models:
        facts = live.models.get(model.name)
        if facts is not None and facts.checkpoints and (not running or model.key in running):
            rewrite = checkpointed(model.name, facts.checkpoints)
            change = edited(evidence, in_first_cell(evidence, rewrite))
            if change.diffs:
                return change
    return UNCHANGED
