"""Compute activations again instead of keeping them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.checkpointing import (
    REENTERS,
    checkpointed_blocks,
    checkpointed_sequential,
    checkpointing_enabled,
    not_checkpointed,
    of_transformers,
)
from ...edits.flags import trainer_flags
from ...edits.rewrite import all_of
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..code_fix import CellChange
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.checkpointing": "Gradient checkpointing",
    "remedy.checkpointing.note": (
        "Each block's activations are computed again in the backward pass instead of being kept. "
        "A step takes about a third longer; the results stay the same."
    ),
    "remedy.checkpointing.advice": (
        "Each block's activations are computed again in the backward pass instead of being kept. "
        "A step takes about a third longer. What counts or keeps something in a pass does so twice."
    ),
}
# Of the activations, about: what stands between the blocks, and with a head beside them.
_BETWEEN, _BESIDE = 0.1, 0.25
_FEWEST, _SEGMENTS = 3, 4


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where a training step's activations fill the card, and blocks are found."""
    kept = evidence.kinds.get("activations", 0)
    if finding is None or not evidence.scene.running.trains:
        return None
    blocks = max([model.blocks for model in evidence.models], default=0)
    is_list = any(model.type_name == "Sequential" for model in evidence.models)
    left = (_BETWEEN if is_list else _BESIDE) + 1 / max(blocks, _FEWEST)
    if not evidence.peak.fits(kept, left):
        return None
    change = edited(evidence, _changes(evidence))
    if not change.diffs:
        return None
    said = "remedy.checkpointing.advice" if change.fix is None else "remedy.checkpointing.note"
    return Offer(
        title=message("remedy.checkpointing", TEXTS),
        note=message(said, TEXTS),
        effect_bytes=None,
        edited=change,
        rank=2,
    )


def _changes(evidence: Evidence) -> tuple[CellChange, ...] | None:
    """Return the change of the blocks, and where the whole model is checkpointed, that of this."""
    flags = {"gradient_checkpointing": "True", "gradient_checkpointing_kwargs": REENTERS}
    rewrites = [trainer_flags("transformers", **flags).asking(of_transformers())]
    whole: tuple[CellChange, ...] | None = None
    for model in evidence.models:
        whole = whole or in_first_cell(evidence, not_checkpointed(model.name))
        if model.type_name == "Sequential":
            segments = max(model.blocks, _SEGMENTS)
            in_parts = checkpointed_sequential(model.name, segments)
            rewrites += [all_of(not_checkpointed(model.name), in_parts), in_parts]
        elif _is_of_transformers(model.type_name):
            rewrites.append(checkpointing_enabled(model.name))
    changes = in_first_cell(evidence, *rewrites, checkpointed_blocks())
    if changes is None or whole is None or changes[0].cell.key == whole[0].cell.key:
        return changes
    return (*whole, *changes)


def _is_of_transformers(name: str) -> bool:
    return any(each in name for each in ("For", "LMHead", "PreTrained"))
