"""Compute activations again instead of keeping them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.checkpointing import (
    checkpointed_blocks,
    checkpointed_sequential,
    checkpointing_enabled,
    not_checkpointed,
)
from ...edits.flags import trainer_flags
from ...edits.rewrite import all_of
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer
from ..rules import activations

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.checkpointing": "Gradient checkpointing",
    "remedy.checkpointing.note": (
        "Each block's activations are computed again in the backward pass instead of being kept. "
        "A step takes about a third longer; the results stay the same."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where a training step's activations fill the card, and blocks are found."""
    kept = evidence.kinds.get("activations", 0)
    if activations.check(evidence) is None or not evidence.scene.running.trains:
        return None
    if not evidence.is_enough(kept // 2):
        return None
    rewrites = [trainer_flags("transformers", gradient_checkpointing="True")]
    for each in evidence.models:
        if each.type_name == "Sequential":
            rewrites.append(all_of(not_checkpointed(each.name), checkpointed_sequential(each.name)))
            rewrites.append(checkpointed_sequential(each.name))
        elif _is_of_transformers(each.type_name):
            rewrites.append(checkpointing_enabled(each.name))
    rewrites.append(checkpointed_blocks())
    changes = in_first_cell(evidence, *rewrites)
    change = edited(evidence, changes)
    if change.fix is None:
        return None
    return Offer(
        id="checkpointing",
        title=message("remedy.checkpointing", TEXTS),
        note=message("remedy.checkpointing.note", TEXTS),
        effect_bytes=None,
        edited=change,
        rank=2,
    )


def _is_of_transformers(name: str) -> bool:
    return any(each in name for each in ("For", "LMHead", "PreTrained"))
