"""An optimizer that remembers less, or computes less at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.flags import trainer_flags
from ...edits.optimizer import factored, one_by_one
from ...frameworks.imported import imported
from ...text.messages import message
from ..editing import edited, in_first_cell, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..code_fix import CellChange
    from ..finding import Finding

TREATS: tuple[str, ...] = ("model-too-large",)
TEXTS = {
    "remedy.lighter-optimizer": "An optimizer with less state",
    "remedy.lighter-optimizer.note": (
        "The state takes {optimizer_bytes}. `Adafactor` keeps next to none, `SGD` without momentum "
        "none, 8-bit optimizers about a quarter. Training changes, the learning rate first."
    ),
    "remedy.lighter-optimizer.one_by_one": "One parameter after the other: `foreach=False`",
    "remedy.lighter-optimizer.note_one_by_one": (
        "All at once takes as much as the model again. A step takes longer; the results stay."
    ),
}
_SHARE = 0.2


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where the model fills the card and the optimizer's state is a good part of it."""
    state = evidence.kinds.get("optimizer_state", 0)
    if evidence.share(state) < _SHARE or finding is None:
        return None
    at_once = any(
        function.startswith("_multi_tensor") for function in evidence.scene.running.functions
    )
    stepped = evidence.training is not None
    if at_once:
        change = edited(evidence, in_first_cell(evidence, one_by_one(has_stepped=stepped)))
        if change.diffs:
            return Offer(
                title=message("remedy.lighter-optimizer.one_by_one", TEXTS),
                note=message("remedy.lighter-optimizer.note_one_by_one", TEXTS),
                effect_bytes=None,
                edited=change,
            )
    return Offer(
        title=message("remedy.lighter-optimizer", TEXTS),
        note=message("remedy.lighter-optimizer.note", TEXTS, optimizer_bytes=state),
        effect_bytes=state + (evidence.requested_bytes or 0) * evidence.in_step,
        edited=edited(evidence, _changes(evidence) if evidence.in_step else None),
        rank=2,
    )


def _changes(evidence: Evidence) -> tuple[CellChange, ...] | None:
    """Return the change to `Adafactor`, where parameters and gradients have fitted."""
    rewrites = [trainer_flags("transformers", optim='"adafactor"')]
    torch = torch_name(evidence)
    if torch is not None and hasattr(imported("torch.optim"), "Adafactor"):
        rewrites.append(factored(torch, has_stepped=evidence.training is not None))
    return in_first_cell(evidence, *rewrites)
